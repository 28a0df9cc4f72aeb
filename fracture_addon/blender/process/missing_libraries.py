"""Errors for libraries that Blender removes while the extension runs.

All extensions share one folder of libraries. Blender changes it when an extension is installed, updated or removed. A
process then cannot load further libraries until Blender restarts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...core.data.errors import WorkerError

# Starts of the last line of a Python process that could not load a library; the last one is from llvmlite.
LOST = ("ModuleNotFoundError:", "ImportError:", "OSError: Could not find/load shared object file")


def is_lost(last_line: str) -> bool:
    """Return whether the last line of a process reports a missing library."""
    return last_line.startswith(LOST)


def lost(reason: object) -> WorkerError:
    """Return the error for a missing library."""
    return WorkerError(
        f"A library is missing ({reason}), because an extension was installed, updated or removed; restart Blender"
    )


@contextmanager
def loaded() -> Iterator[None]:
    """Turn an ImportError within the context into an error with a remedy.

    Raises:
        WorkerError: A library is missing.
    """
    try:
        yield
    except ImportError as error:
        raise lost(error) from error
