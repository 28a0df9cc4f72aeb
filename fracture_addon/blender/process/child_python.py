"""Python executable and environment of the worker process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ...core.data import errors
from ...core.storage import compiled_code
from .. import extension
from . import user_cache


def python_program() -> str:
    """Return the Python executable for the worker.

    Raises:
        WorkerError: Blender contains none.
    """
    if sys.executable and "blender" not in Path(sys.executable).name.lower():
        return sys.executable
    # In an embedded interpreter, sys.executable may be Blender itself; its Python is then below the prefix.
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in (f"bin/python{version}", "bin/python3", "bin/python.exe", "python.exe"):
        candidate = Path(sys.prefix) / name
        if candidate.is_file():
            return str(candidate)
    raise errors.WorkerError(f"Blender's Python is missing in '{sys.prefix}'; reinstall Blender")


def environment() -> dict[str, str]:
    """Return the worker's environment: module paths, and folders for its caches."""
    paths = [str(extension.ROOT), *(entry for entry in sys.path if entry)]
    result = os.environ | {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONDONTWRITEBYTECODE": "1",  # the extension's folder may be read-only
        "PYTHONUNBUFFERED": "1",
        compiled_code.VARIABLE: "",
        "FRACTURE_STAGES": "",
        "OPENBLAS_NUM_THREADS": "1",
    }
    cache = user_cache.find()
    if cache.folder is not None:
        result[compiled_code.VARIABLE] = str(cache.folder / user_cache.COMPILED)
        result["FRACTURE_STAGES"] = str(cache.folder / user_cache.STAGES)
        result["FRACTURE_STAGES_BYTES"] = str(extension.most_stage_bytes())
    return result
