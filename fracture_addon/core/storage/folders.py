"""Folders that this program creates and may remove.

Each one contains a marker file, and only its owner may open it. ``remove`` is the only function of the program that
removes folders; a lint rule forbids the others.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ..data.errors import FolderError

MARKER = ".fracture_addon"
NOTE = "The Fracture add-on created this folder. It may remove the folder with everything in it.\n"
# Only the owner may list, read and write: numba executes what it reads from the folder of compiled code.
PRIVATE = 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# Bytes written to find out whether a disk is full: one block of a common file system.
PROBE_BYTES = 4096
RUN_PREFIX = "fracture_run_"
# Age in seconds below which a run's folder counts as in use. Its process takes the lock within milliseconds.
YOUNG_SECONDS = 60.0


def absolute(path: str | Path, purpose: str) -> Path:
    """Check that a path is absolute: a relative one would mean whatever folder the program was started in.

    Args:
        path: The path, or "" where none was found.
        purpose: What the path is for, as the subject of the message.

    Raises:
        FolderError: The path is empty, relative, or contains "..".
    """
    found = Path(path)
    if not found.is_absolute() or ".." in found.parts:
        raise FolderError(f"{purpose} needs an absolute path, not '{path}'; choose a folder by its full path")
    return found


def make(path: Path) -> Path:
    """Create a folder of the program, or check the one that is there.

    Returns:
        ``path``: it contains the marker, belongs to the user, has mode 0700 and can be written.

    Raises:
        FolderError: One of these does not hold, and cannot be made to hold.
    """
    absolute(path, "A folder of the program")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            path.mkdir(PRIVATE)
        _check_owner(path)
        _mark(path)
        path.chmod(PRIVATE)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(bytes(PROBE_BYTES))
    except OSError as error:
        reason = error.strerror or error
        raise FolderError(
            f"The folder '{path}' cannot be written ({reason}); free some space or make it writable"
        ) from error
    return path


def remove(path: Path) -> None:
    """Remove a folder with everything in it. A folder that does not exist is no error.

    Links are removed and never followed.

    Args:
        path: A folder that contains the marker, or lies below one that does.

    Raises:
        FolderError: The folder is not of this program, or something in it cannot be removed.
    """
    absolute(path, "Removing a folder")
    real = path.parent.resolve() / path.name
    if not real.exists() and not real.is_symlink():
        return
    if not any(_is_ours(folder) for folder in (real, *real.parents)):
        raise FolderError(f"'{path}' is not removed: Fracture did not create it; remove it by hand if it is not needed")
    if real.is_symlink():
        real.unlink()
        return
    shutil.rmtree(real, ignore_errors=True)
    if real.exists():
        raise FolderError(f"'{path}' cannot be removed completely; close the programs that use it and try again")


class RunFolder:
    """The folder for the temporary files of one run. Creating one removes those of runs whose process has died.

    Attributes:
        path: The absolute path.
    """

    def __init__(self, parent: Path | None = None):
        """Create and lock the folder.

        Args:
            parent: The folder to create it in; ``None`` for the system's temporary folder.

        Raises:
            FolderError: ``parent`` is not an absolute path.
            OSError: The folder cannot be created.
        """
        place = absolute(parent or tempfile.gettempdir(), "The folder for temporary files")
        remove_leftovers(place)
        self.path = Path(tempfile.mkdtemp(prefix=RUN_PREFIX, dir=place))
        _mark(self.path)
        # The system gives up the lock when the process ends, however it ends. A process id could be another's by then.
        self._lock = open(self.path / MARKER, "r+b")  # noqa: SIM115 - open as long as the run
        _lock(self._lock)

    def remove(self) -> None:
        """Remove the folder.

        Raises:
            FolderError: Something in it cannot be removed.
        """
        self._lock.close()
        remove(self.path)


@contextlib.contextmanager
def temporary(parent: Path | None = None) -> Iterator[Path]:
    """Yield the path of a ``RunFolder`` that is removed at the end."""
    folder = RunFolder(parent)
    try:
        yield folder.path
    finally:
        folder.remove()


@contextlib.contextmanager
def temporary_files_in(path: Path) -> Iterator[None]:
    """Let Python create temporary files and folders in ``path``, so that they disappear with it."""
    before, tempfile.tempdir = tempfile.tempdir, str(path.resolve())
    try:
        yield
    finally:
        tempfile.tempdir = before


def remove_leftovers(parent: Path) -> None:
    """Remove the run folders in ``parent`` that this user's dead processes left."""
    for path in parent.glob(f"{RUN_PREFIX}*"):
        with contextlib.suppress(FolderError, OSError):
            if _is_abandoned(path):
                remove(path)


def _is_abandoned(path: Path) -> bool:
    """Whether a run folder is the user's own, is not young, and no living process has locked it."""
    if not _is_ours(path) or time.time() - (path / MARKER).lstat().st_mtime < YOUNG_SECONDS:
        return False
    with open(path / MARKER, "r+b") as file:
        return _lock(file)


def _lock(file) -> bool:
    """Try to lock an open file; ``False`` where another process holds the lock or the file system knows no locks."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _mark(path: Path) -> None:
    """Write the marker into a folder that is empty or has one.

    Raises:
        FolderError: The folder contains something else.
    """
    names = os.listdir(path)
    if MARKER in names:
        return
    if names:
        raise FolderError(f"'{path}' contains files that Fracture did not create; move them or choose another folder")
    (path / MARKER).write_text(NOTE, encoding="utf-8")


def _check_owner(path: Path) -> None:
    """Check that a folder is one, and that nobody but the user can have written in it.

    Raises:
        FolderError: It is not safe.
    """
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise FolderError(f"'{path}' is a file or a link where Fracture needs a folder; remove or rename it")
    if os.name == "nt":
        return  # a user's profile is private there, and modes mean nothing
    if status.st_uid != os.geteuid():
        raise FolderError(f"'{path}' belongs to another user (uid {status.st_uid}); remove it or give it back")
    if status.st_mode & WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        raise FolderError(f"'{path}' can be written by other users (mode {mode:04o}); set its mode to 0700")


def _is_ours(folder: Path) -> bool:
    """Whether a folder contains the marker, and both belong to this user."""
    try:
        marker, own = (folder / MARKER).lstat(), folder.lstat()
    except OSError:
        return False
    are_both = stat.S_ISREG(marker.st_mode) and stat.S_ISDIR(own.st_mode)
    return are_both and (os.name == "nt" or marker.st_uid == own.st_uid == os.geteuid())
