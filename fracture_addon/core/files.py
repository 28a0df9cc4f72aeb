"""Files that replace older ones as a whole, so that a full disk or a killed process leaves the old one."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

# Names of files that are being written begin so.
PART = ".fracture_part_"


@contextlib.contextmanager
def replacing(path: Path, sync: bool = False) -> Iterator[Path]:
    """Yield a new path beside ``path`` with the same suffix, to write to; move the file to ``path`` at the end.

    Where writing raises, the new file is removed and ``path`` stays as it was.

    Args:
        path: The file to replace or create.
        sync: Wait until the disk has the new file, 1 to 20 ms: for what the artist would miss after a power cut.

    Raises:
        OSError: The disk does not take the file.
    """
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
