"""What a long run leaves behind at an interval, so that it can go on: after a crash, or with other settings.

A file is named after what moves (its structure), after the job, and after the frame; it has all that came before.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .. import arrays
from ..errors import SettingsError, WorkerError
from ..job import Job

SUFFIX, PART = ".checkpoint", ".part"
# Names have so many characters of each digest.
DIGITS = 16
# What all of them may take up, bytes; those that are oldest go first.
MOST_BYTES = 4 << 30
WITHOUT = "a projectile flies freely among what deforms, or nothing may be kept on the disk"


@dataclass(frozen=True)
class Checkpoint:
    """A run so far.

    Attributes:
        frame: Its last frame, from the job's first on.
        state: What varies.
        histories: What has been noted of each body.
    """

    frame: int
    state: Mapping[str, np.ndarray]
    histories: tuple[Mapping[str, np.ndarray], ...]


class Checkpoints:
    """Those of one job in a folder.

    Args:
        folder: ``None`` for none.
        job: Its interval and the frame to go on from count; both have no say in what a run comes to.
        structure: Whatever has to be the same for another job to go on from here.
    """

    def __init__(self, folder: Path | None, job: Job, structure):
        self._folder, self._job = folder if job.checkpoint_interval > 0 or job.continue_from is not None else None, job
        self._structure = arrays.digest(structure)[:DIGITS]
        bare = replace(job, checkpoint_interval=0, options={})
        self._name = arrays.digest(bare)[:DIGITS]

    @property
    def warnings(self) -> list[str]:
        """What to say where checkpoints were asked for and none are kept."""
        missing = self._folder is None and self._job.checkpoint_interval > 0
        return [f"there are no checkpoints: {WITHOUT}"] if missing else []

    def latest(self) -> Checkpoint | None:
        """The one to go on from: the job's own last one, or that of the frame that it wants to go on from.

        Raises:
            SettingsError: There is none at or before that frame.
            WorkerError: It cannot be read.
        """
        if self._folder is None:
            if self._job.continue_from is not None:
                raise SettingsError(f"there is nothing to go on from at frame {self._job.continue_from}: {WITHOUT}")
            return None
        own = self._found(f"{self._structure}_{self._name}_*{SUFFIX}")
        if own:
            return self._read(own[-1])
        if self._job.continue_from is None:
            return None
        wanted = self._job.continue_from - self._job.frame_start
        earlier = [path for path in self._found(f"{self._structure}_*{SUFFIX}") if _frame(path) <= wanted]
        if not earlier:
            raise SettingsError(
                f"there is no checkpoint of these objects at or before frame {self._job.continue_from}; run with a "
                "checkpoint interval first, and leave meshes, cells and glue as they are"
            )
        return self._read(earlier[-1])

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write one if it is due; a half-written one is never seen.

        Raises:
            WorkerError: There is no room for it.
        """
        interval = self._job.checkpoint_interval
        if self._folder is None or interval < 1 or checkpoint.frame % interval or not checkpoint.frame:
            return
        path = self._folder / f"{self._structure}_{self._name}_{checkpoint.frame:06d}{SUFFIX}"
        part = path.with_suffix(f".{os.getpid()}{PART}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            arrays.save(part, checkpoint)
            os.replace(part, path)
            self._make_room()
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise WorkerError(f"cannot write {path} ({error.strerror or error}); free some space") from error

    def _found(self, pattern: str) -> list[Path]:
        """By frame, and the newest last of those of one."""
        found = self._folder.glob(pattern) if self._folder.is_dir() else ()
        return sorted(found, key=lambda path: (_frame(path), path.stat().st_mtime_ns, path.name))

    @staticmethod
    def _read(path: Path) -> Checkpoint:
        try:
            return arrays.load(path, Checkpoint)
        except (OSError, ValueError, KeyError) as error:
            raise WorkerError(f"cannot read {path} ({error}); delete it, and start the run again") from error

    def _make_room(self) -> None:
        entries = [(path.stat(), path) for path in self._folder.glob(f"*{SUFFIX}")]
        held = sum(status.st_size for status, _ in entries)
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns)[:-1]:
            if held <= MOST_BYTES:
                return
            path.unlink(missing_ok=True)
            held -= status.st_size


def _frame(path: Path) -> int:
    return int(path.stem.rsplit("_", 1)[1])
