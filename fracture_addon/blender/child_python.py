"""The Python that a child runs in, and its environment."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from ..core import errors
from . import extension


def python_program() -> str:
    """The Python that a child can be started with.

    Raises:
        WorkerError: Blender has none.
    """
    if sys.executable and "blender" not in Path(sys.executable).name.lower():
        return sys.executable
    # An embedded interpreter may name its host; Blender's own Python then lies below the prefix.
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in (f"bin/python{version}", "bin/python3", "bin/python.exe", "python.exe"):
        candidate = Path(sys.prefix) / name
        if candidate.is_file():
            return str(candidate)
    raise errors.WorkerError(f"Blender's own Python is missing below '{sys.prefix}'; install Blender anew")


def environment() -> dict[str, str]:
    """What the child finds around it: our modules, and places for compiled kernels and for stages of earlier runs."""
    paths = [str(extension.ROOT), *(entry for entry in sys.path if entry)]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONDONTWRITEBYTECODE": "1",  # the extension's folder is not ours to write in
        "PYTHONUNBUFFERED": "1",
        "NUMBA_CACHE_DIR": str(compiled_folder()),
        "FRACTURE_STAGES": str(_folder_of_sources("stages")),
        "FRACTURE_STAGES_BYTES": str(extension.most_stage_bytes()),
        "OPENBLAS_NUM_THREADS": "1",
    }


def compiled_folder() -> Path:
    """Where children keep their compiled kernels; it is empty before the first run of these sources."""
    return _folder_of_sources("numba")


def _folder_of_sources(name: str) -> Path:
    """A user folder for what holds for one state of the sources only; what other states left is removed.

    numba compiles a function anew when its own file changes, but not when one does that it calls.
    """
    core = os.path.join(extension.ROOT, "fracture_addon", "core")
    found = [entry for folder, _, _ in os.walk(core) for entry in os.scandir(folder) if entry.name.endswith(".py")]
    files = sorted((entry.path.removeprefix(core), entry.stat().st_size, entry.stat().st_mtime_ns) for entry in found)
    folder = extension.user_folder(name) / hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    if not folder.exists():
        for older in folder.parent.iterdir():
            shutil.rmtree(older, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return folder
