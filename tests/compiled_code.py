"""The folder in which the tests keep compiled code between runs."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

COMPILED = Path(__file__).resolve().parents[1] / ".cache" / f"compiled-{sys.version_info.major}{sys.version_info.minor}"


def keep() -> Path:
    """Let this process and its children use the folder. Call it before the first import of the package.

    Returns:
        The folder.
    """
    return Path(os.environ.setdefault("FRACTURE_COMPILED", str(COMPILED)))


def share(cache: Path) -> None:
    """Let a cache in Blender's user folder use the folder too: else workers compile again what other tests compiled.

    Args:
        cache: The folder of ``user_cache.find``.
    """
    folder = keep()
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # an earlier run did it, or the system allows no links
        (cache / "compiled").symlink_to(folder, target_is_directory=True)
