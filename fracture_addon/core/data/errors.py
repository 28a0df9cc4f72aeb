"""What can go wrong in a way that the artist can mend.

A message names the object, what is wrong with it in numbers, and the remedy, in one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class FractureError(Exception):
    """Base of every error that is reported to the artist instead of raised as a traceback."""


class SettingsError(FractureError):
    """A setting, preset or command-line value makes no sense."""


class InvalidMeshError(FractureError):
    """A mesh cannot be used as it is (the exit code of the command line is 3)."""


class SceneError(FractureError):
    """The scene holds nothing that can break the object (no floor, projectile or impact), or nothing to break."""


class SolverDivergedError(FractureError):
    """The linear solve did not reach its residual."""


class WorkerError(FractureError):
    """The child process died, was killed, or could not write."""


class FolderError(FractureError):
    """A folder of the program cannot be created, is not safe to use, or may not be removed."""


class CancelledError(FractureError):
    """The artist cancelled the run."""


@contextmanager
def about(name: str) -> Iterator[None]:
    """Put the name of an object in front of the message of an error that does not name it."""
    try:
        yield
    except FractureError as error:
        if f"'{name}'" in str(error):
            raise
        raise type(error)(f"'{name}': {error}") from error
