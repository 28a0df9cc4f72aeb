"""Files that replace older ones as a whole, so that a full disk or a killed process leaves the old one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

# Names of files that are being written: 16 hexadecimal digits follow, and the suffix of the finished file.
PART = ".fracture_part_"
PART_NAME = re.compile(re.escape(PART) + r"[0-9a-f]{16}(\.\w+)?")
# Age in seconds of a file that nobody is still writing: one of several GB takes minutes.
HALF_WRITTEN_SECONDS = 3600.0


@contextlib.contextmanager
def replacing(path: Path, sync: bool = False) -> Iterator[Path]:
    """Yield a new path beside ``path`` with the same suffix, to write to; move the file to ``path`` at the end.

    Where writing raises, the new file is removed and ``path`` stays as it was. Where the process is killed, the next
    ``replacing`` in the folder removes the new file once it is old.

    Args:
        path: The file to replace or create.
        sync: Wait until the disk has the new file, 1 to 20 ms: for what the artist would miss after a power cut.

    Raises:
        OSError: The disk does not take the file.
    """
    remove_half_written(path.parent)
    part = path.with_name(f"{PART}{uuid.uuid4().hex[:16]}{path.suffix}")
    try:
        yield part
        if sync:
            with open(part, "r+b") as file:
                os.fsync(file.fileno())  # some file systems notice only now that they are full
        with contextlib.suppress(OSError):  # there is no older file
            shutil.copymode(path, part)
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def remove_half_written(folder: Path) -> None:
    """Remove files of the user that a killed process has left half written in a folder."""
    with contextlib.suppress(OSError):  # another process removes the same
        for path in folder.glob(f"{PART}*"):
            status = path.lstat()
            is_own = os.name == "nt" or status.st_uid == os.geteuid()
            is_old = time.time() - status.st_mtime > HALF_WRITTEN_SECONDS
            if PART_NAME.fullmatch(path.name) and stat.S_ISREG(status.st_mode) and is_own and is_old:
                path.unlink()
