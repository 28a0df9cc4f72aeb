"""Folders that this program creates and removes.

Each folder is private to the user and contains a marker file. ``remove`` is the only function of the program that
removes folders. A lint rule (TID251) forbids others.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..data.errors import FolderError

MARKER = ".fracture_addon"
NOTE = "The Fracture add-on created this folder. It may remove the folder with everything in it.\n"
# Mode in which only the owner can list, read and write. numba executes what the folder of compiled code contains.
PRIVATE = 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# Bytes written to check that a disk has space: one block of ext4 and NTFS.
PROBE_BYTES = 4096
RUN_PREFIX = "fracture_run_"
# Age below which the folder of a run counts as in use, s: its process locks it within milliseconds. A larger value
# only keeps the folders of killed runs longer.
YOUNG_SECONDS = 60.0


def absolute(path: str | Path, purpose: str) -> Path:
    """Check that a path is absolute. A relative path depends on the folder in which the program was started.

    Args:
        path: The path; "" if there is none.
        purpose: What the path is for, as the subject of the message.

    Raises:
        FolderError: The path is empty, relative, or contains "..".
    """
    found = Path(path)
    if not found.is_absolute() or ".." in found.parts:
        raise FolderError(f"{purpose} needs an absolute path, not '{path}'; choose a folder by its full path")
    return found


def make(path: Path) -> Path:
    """Create a folder of the program, or check an existing one.

    Returns:
        ``path``. The folder contains the marker, belongs to the user, has mode 0700 and can be written.

    Raises:
        FolderError: The folder cannot be created, or is not as described.
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
    """Remove a folder with everything in it, if it exists. Links are removed and never followed.

    Args:
        path: A folder that contains the marker, or a folder below one that does.

    Raises:
        FolderError: The program did not create the folder, or something in it cannot be removed.
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
    """Folder for the temporary files of one run. Creating one removes the folders of runs whose process has ended.

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
        # The system releases the lock whenever the process ends. A process id may belong to another process by then.
        self._lock = open(self.path / MARKER, "r+b")  # noqa: SIM115 - open during the whole run
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
    """Let Python create temporary files and folders in ``path`` inside the block."""
    before, tempfile.tempdir = tempfile.tempdir, str(path.resolve())
    try:
        yield
    finally:
        tempfile.tempdir = before


def remove_leftovers(parent: Path) -> None:
    """Remove the run folders in ``parent`` whose processes of this user have ended."""
    for path in parent.glob(f"{RUN_PREFIX}*"):
        with contextlib.suppress(FolderError, OSError):
            if _is_abandoned(path):
                remove(path)


def _is_abandoned(path: Path) -> bool:
    """Return whether a run folder belongs to the user, is old enough, and is not locked by a process."""
    if not _is_ours(path) or time.time() - (path / MARKER).lstat().st_mtime < YOUNG_SECONDS:
        return False
    with open(path / MARKER, "r+b") as file:
        return _lock(file)


def _lock(file: BinaryIO) -> bool:
    """Try to lock an open file; ``False`` if another process holds the lock or the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _mark(path: Path) -> None:
    """Write the marker into an empty folder. Accept a folder that contains the marker already.

    Raises:
        FolderError: The folder contains other files.
    """
    names = os.listdir(path)
    if MARKER in names:
        return
    if names:
        raise FolderError(f"'{path}' contains files that Fracture did not create; move them or choose another folder")
    (path / MARKER).write_text(NOTE, encoding="utf-8")


def _check_owner(path: Path) -> None:
    """Check that a path is a folder, and that only the user can write in it.

    Raises:
        FolderError: The folder is not safe.
    """
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise FolderError(f"'{path}' is a file or a link where Fracture needs a folder; remove or rename it")
    if os.name == "nt":
        return  # Windows keeps a user's profile private, and does not use modes
    if status.st_uid != os.geteuid():
        raise FolderError(f"'{path}' belongs to another user (uid {status.st_uid}); remove it or change its owner")
    if status.st_mode & WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        raise FolderError(f"other users (mode {mode:04o}) can write to '{path}'; set its mode to 0700")


def _is_ours(folder: Path) -> bool:
    """Return whether a folder contains the marker, and both belong to this user."""
    try:
        marker, own = (folder / MARKER).lstat(), folder.lstat()
    except OSError:
        return False
    are_both = stat.S_ISREG(marker.st_mode) and stat.S_ISDIR(own.st_mode)
    return are_both and (os.name == "nt" or marker.st_uid == own.st_uid == os.geteuid())
