"""What a long run leaves behind at an interval, so that it can go on: after a crash, or with other settings.

A file is named after what moves (its structure), after the job, and after the frame; it has all that came before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...data import arrays
from ...data.errors import SettingsError, WorkerError
from ...data.job import Job
from ...storage import files

SUFFIX = ".checkpoint"
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
        own = _newest_whole(self._found(f"{self._structure}_{self._name}_*{SUFFIX}"))
        if own is not None:
            return own
        if self._job.continue_from is None:
            return None
        wanted = self._job.continue_from - self._job.frame_start
        found = self._found(f"{self._structure}_*{SUFFIX}")
        earlier = _newest_whole([path for path in found if _frame(path) <= wanted])
        if earlier is None:
            raise SettingsError(
                f"there is no checkpoint of these objects at or before frame {self._job.continue_from}; run with a "
                "checkpoint interval first, and leave meshes, cells and glue as they are"
            )
        return earlier

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write one if it is due; a half-written one is never seen.

        Raises:
            WorkerError: There is no room for it.
        """
        interval = self._job.checkpoint_interval
        if self._folder is None or interval < 1 or checkpoint.frame % interval or not checkpoint.frame:
            return
        path = self._folder / f"{self._structure}_{self._name}_{checkpoint.frame:06d}{SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with files.replacing(path, sync=True) as part:
                arrays.save(part, checkpoint)
            self._make_room()
        except OSError as error:
            raise WorkerError(f"cannot write {path} ({error.strerror or error}); free some space") from error

    def _found(self, pattern: str) -> list[Path]:
        """By frame, and the newest last of those of one."""
        found = self._folder.glob(pattern) if self._folder.is_dir() else ()
        dated = [(_frame(path), status.st_mtime_ns, path) for path in found if (status := _status(path)) is not None]
        return [path for _, _, path in sorted(dated)]

    def _make_room(self) -> None:
        found = self._folder.glob(f"[!.]*{SUFFIX}")
        entries = [(status, path) for path in found if (status := _status(path)) is not None]
        held = sum(status.st_size for status, _ in entries)
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns)[:-1]:
            if held <= MOST_BYTES:
                return
            path.unlink(missing_ok=True)
            held -= status.st_size


def _newest_whole(paths: Sequence[Path]) -> Checkpoint | None:
    """The last checkpoint that can be read; one that is damaged, or that another run has just removed, is passed over.

    Raises:
        WorkerError: One cannot be read, or is of another version.
    """
    for path in reversed(paths):
        try:
            return arrays.load(path, Checkpoint)
        except (FileNotFoundError, arrays.DamagedFileError):
            continue
        except (OSError, KeyError, TypeError) as error:
            raise WorkerError(f"cannot read {path} ({error}); delete it, and start the run again") from error
    return None


def _status(path: Path) -> os.stat_result | None:
    """Size and time of a file, ``None`` where another run has just removed it."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _frame(path: Path) -> int:
    return int(path.stem.rsplit("_", 1)[1])
