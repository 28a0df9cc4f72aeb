"""Stages of a run whose inputs did not change are taken from the disk, or from memory.

A stage is a function of exactly the inputs that its key is a digest of, so that a run gives the same bytes with and
without what earlier ones left. The folder is for one state of the sources only: they are no part of the key.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import scipy

from ..data import arrays
from ..storage import files

# What the folder may hold unless somebody says otherwise, bytes.
MOST_BYTES = 1 << 30
SUFFIX, CHECKPOINTS = ".stage", "checkpoints"

Result = TypeVar("Result")


class Memory:
    """Results of stages for the next run of this process: those that the last one used."""

    def __init__(self):
        self._results: dict[str, object] = {}
        self._used: set[str] = set()

    def result(self, key: str, compute: Callable[[], Result]) -> Result:
        """What is remembered under a key, or computed and remembered."""
        if key not in self._results:
            self._results[key] = compute()
        self._used.add(key)
        return self._results[key]

    def between_runs(self) -> None:
        """Forget what was not asked for since the last call; let the rest do now what the next run would wait for."""
        self._results = {key: self._results[key] for key in self._used}
        self._used = set()
        for result in self._results.values():
            if hasattr(result, "make_ready"):
                result.make_ready()


class Stages:
    """Results of stages in a folder.

    Args:
        folder: Made when it is missing; ``None`` keeps nothing.
        most_bytes: What it may hold; the results that were not used for longest go first.
        memory: For what is too large or too intricate to be written; ``None`` remembers nothing.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES, memory: Memory | None = None):
        self._folder = folder if most_bytes > 0 else None
        self._most_bytes, self._memory = most_bytes, memory

    @property
    def checkpoints(self) -> Path | None:
        """The folder of checkpoints, below that of the results; ``None`` where nothing is kept."""
        return self._folder / CHECKPOINTS if self._folder is not None else None

    def result(self, stage: str, kind: type[Result], inputs: tuple, compute: Callable[[], Result]) -> Result:
        """What a stage makes of its inputs: kept from an earlier run, or computed and kept for the next one.

        Args:
            stage: Its name.
            kind: The type of the result, as ``arrays.load`` wants it; one of a more special type is not kept.
            inputs: Everything that ``compute`` reads.
            compute: Does the work; what it raises is not kept.
        """
        if self._folder is None:
            return compute()
        path = self._folder / f"{_key(stage, inputs)}{SUFFIX}"
        kept = _kept(path, kind)
        if kept is not None:
            return kept
        result = compute()
        if type(result) is kind:
            self._keep(path, result)
        return result

    def remembered(self, stage: str, inputs: tuple, compute: Callable[[], Result]) -> Result:
        """As ``result``, for this process only; whoever gets it must leave it as it is."""
        return compute() if self._memory is None else self._memory.result(_key(stage, inputs), compute)

    def _keep(self, path: Path, result) -> None:
        with contextlib.suppress(OSError):  # the run has its result; the next one computes it again
            path.parent.mkdir(parents=True, exist_ok=True)
            with files.replacing(path) as part:
                arrays.save(part, result)
            self._make_room()

    def _make_room(self) -> None:
        entries = [(path.stat(), path) for path in self._folder.iterdir() if path.suffix == SUFFIX]
        held = sum(status.st_size for status, _ in entries)
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns):
            if held <= self._most_bytes:
                return
            path.unlink(missing_ok=True)
            held -= status.st_size


NOTHING_KEPT = Stages()


def _key(stage: str, inputs: tuple) -> str:
    return arrays.digest((stage, (np.__version__, scipy.__version__), inputs))


def _kept(path: Path, kind: type[Result]) -> Result | None:
    """The result in a file, ``None`` where there is none or it is damaged."""
    try:
        result = arrays.load(path, kind)
        os.utime(path)
    except (OSError, arrays.DamagedFileError):
        return None
    return result
