"""Atomic replacement of files: after a full disk or a killed process, the old file is still there."""

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

# Start of the name of a file while it is written. 16 hexadecimal digits and the suffix of the finished file follow.
PART = ".fracture_part_"
PART_NAME = re.compile(re.escape(PART) + r"[0-9a-f]{16}(\.\w+)?")
# Age after which no process is still writing a file, s: a file of several GB takes minutes. A larger value only
# keeps half-written files longer.
HALF_WRITTEN_SECONDS = 3600.0


@contextlib.contextmanager
def replacing(path: Path, sync: bool = False) -> Iterator[Path]:
    """Yield a new path beside ``path`` with the same suffix, and move the file that the block writes there to ``path``.

    If the block raises, the new file is removed and ``path`` is unchanged. If the process is killed, the next
    ``replacing`` in the folder removes the new file when it is old.

    Args:
        path: The file to replace or create.
        sync: Wait until the new file is on the disk, 1 to 20 ms. For files that must survive a power cut.

    Raises:
        OSError: The file cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "report.txt")
        ...     with replacing(path) as part:
        ...         _ = part.write_text("done")
        ...     path.read_text(), len(os.listdir(folder))
        ('done', 1)
    """
    remove_half_written(path.parent)
    part = path.with_name(f"{PART}{uuid.uuid4().hex[:16]}{path.suffix}")
    try:
        yield part
        if sync:
            with open(part, "r+b") as file:
                os.fsync(file.fileno())  # some file systems report a full disk only here
        with contextlib.suppress(OSError):  # no older file
            shutil.copymode(path, part)
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def remove_half_written(folder: Path) -> None:
    """Remove files in a folder that a killed process of this user left half written."""
    with contextlib.suppress(OSError):  # another process removes the same files
        for path in folder.glob(f"{PART}*"):
            status = path.lstat()
            is_own = os.name == "nt" or status.st_uid == os.geteuid()
            is_old = time.time() - status.st_mtime > HALF_WRITTEN_SECONDS
            if PART_NAME.fullmatch(path.name) and stat.S_ISREG(status.st_mode) and is_own and is_old:
                path.unlink()
