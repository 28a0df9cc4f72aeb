"""Libraries that Blender removes while the extension runs.

All extensions share one folder of libraries. Blender changes it when any of them is installed, updated or removed. What
a process has not loaded by then is gone for it until Blender starts again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..core.data.errors import WorkerError

# How the last line of a Python process begins that ended because it could not load a library; llvmlite raises the last.
LOST = ("ModuleNotFoundError:", "ImportError:", "OSError: Could not find/load shared object file")


def is_lost(last_line: str) -> bool:
    """Whether the last line of a process says that it could not load a library."""
    return last_line.startswith(LOST)


def lost(reason: object) -> WorkerError:
    """The error for a library that cannot be loaded."""
    return WorkerError(
        f"A library is missing ({reason}), because an extension was installed, updated or removed; restart Blender"
    )


@contextmanager
def loaded() -> Iterator[None]:
    """Turn a library that cannot be loaded within the statement into an error that names the remedy.

    Raises:
        WorkerError: A library is missing.
    """
    try:
        yield
    except ImportError as error:
        raise lost(error) from error
