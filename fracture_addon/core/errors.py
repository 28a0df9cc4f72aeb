"""What can go wrong in a way that the artist can mend.

A message names the object, what is wrong with it in numbers, and the remedy, in one line.
"""


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


class NotEnoughMemoryError(FractureError):
    """The run does not fit into the memory that is free, or took all of it."""


class CancelledError(FractureError):
    """The artist cancelled the run."""
