"""The cache that earlier runs left in the user's folder: compiled code, results of stages, checkpoints.

Its entries depend on the sources, and lie in a folder named after a digest of them. Blenders with different versions of
the extension share the user's folder, and each uses a folder of its own in it. Unused folders are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...core.data.errors import FolderError
from ...core.storage import folders
from .. import extension

CACHE, COMPILED, STAGES = "cache", "compiled", "stages"
# A folder of other sources is removed when it was not used for a month, or for a day and four newer ones are there:
# one takes up to 1 GB, and another Blender may be using it.
STALE_SECONDS, RECENT_SECONDS, NEWER_ONES = 30 * 86400.0, 86400.0, 4


@dataclass(frozen=True)
class Cache:
    """The folder of the cache, or the reason why there is none.

    Attributes:
        folder: The folder; ``None`` if it cannot be written.
        fault: One line with the reason and the remedy if there is no folder; else empty.
    """

    folder: Path | None
    fault: str = ""


def find() -> Cache:
    """Find or create the cache of the present sources, and remove unused caches of other sources."""
    try:
        parent = extension.user_folder(CACHE)
        own = parent / _digest_of_sources()
        own.mkdir(folders.PRIVATE, exist_ok=True)
        os.utime(own)
    except FolderError as error:
        return Cache(None, _without_cache(str(error)))
    except OSError as error:
        return Cache(
            None, _without_cache(f"the user's folder cannot be written ({error.strerror or error}); free some space")
        )
    for path in _unused(parent, own):
        with contextlib.suppress(FolderError):
            folders.remove(path)
    return Cache(own)


def forget() -> int:
    """Remove the cache of all sources.

    Returns:
        Its size, bytes.

    Raises:
        FolderError: There is none, or it cannot be removed.
    """
    parent = extension.user_folder(CACHE)
    size = sum(path.stat().st_size for path in parent.rglob("*") if path.is_file())
    for path in _of_sources(parent):
        folders.remove(path)
    return size


def _without_cache(reason: str) -> str:
    return f"There is no cache, so each first run compiles for up to a minute: {reason}"


def _unused(parent: Path, own: Path) -> list[Path]:
    used = []
    for path in _of_sources(parent):
        with contextlib.suppress(OSError):  # another Blender has just removed it
            used.append((path.stat().st_mtime, path))
    used.sort(reverse=True)
    now, result = time.time(), []
    for newer, (when, path) in enumerate(used):
        limit = RECENT_SECONDS if newer >= NEWER_ONES else STALE_SECONDS
        if path != own and now - when > limit:
            result.append(path)
    return result


def _of_sources(parent: Path) -> list[Path]:
    return [path for path in parent.iterdir() if path.is_dir()]


def _digest_of_sources() -> str:
    """Return a digest of core's files (names and contents), Python's version and the machine type.

    The times of the files do not count, because Blender gives each file the time of the installation. The same version,
    installed again, therefore continues with its cache.
    """
    core = os.path.join(extension.ROOT, "fracture_addon", "core")
    found = [entry for folder, _, _ in os.walk(core) for entry in os.scandir(folder) if entry.name.endswith(".py")]
    files = sorted((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in found)
    facts = (_contents(core, tuple(files)), platform.machine(), sys.version_info[:2])
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _contents(folder: str, files: tuple[tuple[str, int, int], ...]) -> list[tuple[str, str]]:
    """Return the name of each file in a folder, and a digest of its content.

    Args:
        folder: The folder.
        files: Path, size (bytes) and time (ns) of each file. A file is read again only if one of them changes.
    """
    return [(path.removeprefix(folder), hashlib.sha256(Path(path).read_bytes()).hexdigest()) for path, _, _ in files]
