"""Cache of results from earlier runs, on the disk and in memory.

The key of an entry is a digest of all inputs of the function that computed it, and of the versions of the libraries. A
run therefore gives the same bytes with and without the cache. The key does not contain the source code: each version of
it needs a folder of its own.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from ..data import arrays
from ..storage import files
from ..storage.library_versions import versions

# Bytes: default limit of the folder; the preferences change it. No result depends on it: what is not in the cache is
# computed again.
MOST_BYTES = 1 << 30
# A cache lists its folder again when it has stored this part of the room that it found: up to four processes that fill
# the folder together keep to the limit.
SHARED = 4
# Ending of an entry's file name.
SUFFIX = ".stage"
# Name of the folder of checkpoints.
CHECKPOINTS = "checkpoints"

Result = TypeVar("Result")


class Memory:
    """Results of the last run, kept for the next run of the same process. Threads may share it."""

    def __init__(self) -> None:
        self._results: dict[str, Any] = {}
        self._used: set[str] = set()
        self._computing: dict[str, Lock] = {}

    def result(self, key: str, compute: Callable[[], Result]) -> Result:
        """Return the result under a key; compute and store it if it is missing.

        Of several threads that ask for the same result, one computes it, and the others wait for it.
        """
        with self._computing.setdefault(key, Lock()):
            if key not in self._results:
                self._results[key] = compute()
        self._used.add(key)
        return self._results[key]

    def finish_run(self) -> None:
        """Drop the results that the last run did not use, and prepare the others for the next run."""
        self._results = {key: self._results[key] for key in self._used}
        self._used, self._computing = set(), {}
        for result in self._results.values():
            if hasattr(result, "make_ready"):
                result.make_ready()


class Cache:
    """Results in a folder, and large ones in memory.

    Args:
        folder: Created if it is missing; ``None`` for no cache on the disk.
        most_bytes: Limit of the folder; the entries that were unused for longest are removed first.
        memory: For results that are too large or too intricate for a file; ``None`` for no cache in memory.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES, memory: Memory | None = None):
        # Absolute, because the repair of a mesh may change the working directory while another thread stores a result.
        self._folder = folder.absolute() if folder and most_bytes > 0 else None
        self._most_bytes, self._memory = most_bytes, memory
        # Bytes that this cache may still store before it lists the folder again.
        self._room = 0

    @property
    def checkpoints(self) -> Path | None:
        """Folder of checkpoints, below that of the results; ``None`` without a cache on the disk."""
        return self._folder / CHECKPOINTS if self._folder is not None else None

    def result(self, stage: str, kind: type[Result], inputs: tuple, compute: Callable[[], Result]) -> Result:
        """Return the result of a stage from the disk; compute and store it if it is missing.

        Args:
            stage: Name of the stage.
            kind: Type of the result, for ``arrays.load``. A result of a subclass is not stored.
            inputs: Everything that ``compute`` reads.
            compute: Computes the result. If it raises, nothing is stored.
        """
        if self._folder is None:
            return compute()
        path = self._folder / f"{_key(stage, inputs)}{SUFFIX}"
        stored = _load(path, kind)
        if stored is not None:
            return stored
        result = compute()
        if type(result) is kind:
            self._store(self._folder, path, result)
        return result

    def in_memory(self, stage: str, inputs: tuple, compute: Callable[[], Result]) -> Result:
        """Return the result of a stage from memory, as ``result`` does from the disk. Callers must not change it."""
        return compute() if self._memory is None else self._memory.result(_key(stage, inputs), compute)

    def _store(self, folder: Path, path: Path, result: object) -> None:
        with contextlib.suppress(OSError):  # the run has its result; the next one computes it again
            folder.mkdir(parents=True, exist_ok=True)
            with files.replacing(path) as part:
                arrays.save(part, result)
            self._room -= path.stat().st_size
            if self._room < 0:
                self._make_room(folder)

    def _make_room(self, folder: Path) -> None:
        # Faster than the paths of pathlib: a folder may have thousands of results.
        with os.scandir(folder) as listed:
            entries = [(item.stat(), Path(item.path)) for item in listed if item.name.endswith(SUFFIX)]
        total = sum(status.st_size for status, _ in entries)
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns):
            if total <= self._most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= status.st_size
        self._room = (self._most_bytes - total) // SHARED


NO_CACHE = Cache()


def _key(stage: str, inputs: tuple) -> str:
    return arrays.digest((stage, versions(), inputs))


def _load(path: Path, kind: type[Result]) -> Result | None:
    """Load a result and mark it as used; ``None`` if the file is missing or damaged."""
    try:
        result = arrays.load(path, kind)
        os.utime(path)
    except (OSError, arrays.DamagedFileError):
        return None
    return result
