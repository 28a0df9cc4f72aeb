"""Errors that the artist can remedy.

A message is one line. It names the object, the problem with its number, and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class FractureError(Exception):
    """Base of all errors that the artist sees as a message instead of a traceback."""


class SettingsError(FractureError):
    """A setting, preset or command-line value is invalid."""


class InvalidMeshError(FractureError):
    """A mesh cannot be used (exit code 3 of the command line)."""


class SceneError(FractureError):
    """The scene contains nothing to break, or nothing that can break it (no floor, projectile or impact)."""


class SolverDivergedError(FractureError):
    """A linear solver did not reach the required residual."""


class WorkerError(FractureError):
    """The worker process crashed, was killed, or could not write."""


class FolderError(FractureError):
    """A folder of the program cannot be created, is unsafe, or must not be removed."""


class NotEnoughMemoryError(FractureError):
    """The run needs more memory than is free."""


class CancelledError(FractureError):
    """The artist cancelled the run."""


@contextmanager
def about(name: str) -> Iterator[None]:
    """Put the name of an object before the message of an error inside the block, unless it contains the name."""
    try:
        yield
    except FractureError as error:
        if f"'{name}'" in str(error):
            raise
        raise type(error)(f"'{name}': {error}") from error
