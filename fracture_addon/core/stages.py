"""Stages of a run whose inputs did not change are taken from the disk, or from memory.

A stage is a function of exactly the inputs that its key is a digest of, so that a run gives the same bytes with and
without what earlier ones left. The folder is for one state of the sources only: they are no part of the key.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import scipy

from . import arrays

# What the folder may hold unless somebody says otherwise, bytes.
MOST_BYTES = 1 << 30
SUFFIX, PART = ".stage", ".part"
CHECKPOINTS = "_checkpoints"

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
        """The folder of checkpoints, beside the results; ``None`` where nothing is kept."""
        return self._folder.parent / f"{self._folder.name}{CHECKPOINTS}" if self._folder is not None else None

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
        content = _read(path)
        if content is not None:
            return arrays.load(io.BytesIO(content), kind)
        result = compute()
        if type(result) is kind:
            self._keep(path, result)
        return result

    def remembered(self, stage: str, inputs: tuple, compute: Callable[[], Result]) -> Result:
        """As ``result``, for this process only; whoever gets it must leave it as it is."""
        return compute() if self._memory is None else self._memory.result(_key(stage, inputs), compute)

    def _keep(self, path: Path, result) -> None:
        content = io.BytesIO()
        arrays.write(content, result)
        value = content.getvalue()
        part = path.with_suffix(f".{os.getpid()}{PART}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(hashlib.sha256(value).digest() + value)
            os.replace(part, path)
            self._make_room()
        except OSError:
            # The run has its result; the next one computes it again.
            with contextlib.suppress(OSError):
                part.unlink()

    def _make_room(self) -> None:
        entries = [(path.stat(), path) for path in self._folder.iterdir() if path.suffix in (SUFFIX, PART)]
        held = sum(status.st_size for status, _ in entries)
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns):
            if held <= self._most_bytes:
                return
            path.unlink(missing_ok=True)
            held -= status.st_size


NOTHING_KEPT = Stages()


def _key(stage: str, inputs: tuple) -> str:
    return arrays.digest((stage, (np.__version__, scipy.__version__), inputs))


def _read(path: Path) -> bytes | None:
    """What was kept, ``None`` where nothing was, or where it is not what was written."""
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    value = content[hashlib.sha256().digest_size :]
    return value if hashlib.sha256(value).digest() == content[: -len(value)] else None
