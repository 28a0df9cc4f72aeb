"""Checkpoints of a long run at an interval, so that it can continue after a crash or with other settings.

The name of a file contains a digest of the bodies' structure, a digest of the job and of the versions of the libraries,
and the frame. A checkpoint contains all frames up to its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...data import arrays
from ...data.errors import SettingsError, WorkerError
from ...data.job import Job
from ...methods.whole_shot import Checkpoint
from ...storage import files
from ...storage.library_versions import versions

# Ending of a checkpoint's file name.
SUFFIX = ".checkpoint"
# Characters of each digest in the file name: 64 bits, so that two jobs practically never share a name.
DIGITS = 16
# Bytes: limit of all checkpoints; the oldest are removed first. It limits the space on the artist's disk. No result
# depends on it: frames without a checkpoint are computed again.
MOST_BYTES = 4 << 30
# Why there are no checkpoints.
NO_FOLDER = "the cache on the disk is off"


class Checkpoints:
    """Checkpoints of a job in a folder.

    Args:
        folder: The folder; ``None`` for no checkpoints.
        job: Its checkpoint interval and the frame to continue from apply. The interval does not change the result.
        structure: Everything that another job must share to continue from these checkpoints.

    Notes:
        Sweeney et al. 1991, section 3: restart after a crash.

    Example:
        >>> checkpoints = Checkpoints(Path("folder"), Job((), checkpoint_interval=2), "lattices and glue")
        >>> [frame for frame in range(7) if checkpoints.is_due(frame)]
        [2, 4, 6]
    """

    def __init__(self, folder: Path | None, job: Job, structure: object):
        self._folder, self._job = folder if job.checkpoint_interval > 0 or job.continue_from is not None else None, job
        self._structure = arrays.digest(structure)[:DIGITS]
        bare = replace(job, checkpoint_interval=0, options={})
        self._name = arrays.digest((versions(), bare))[:DIGITS]

    @property
    def warnings(self) -> list[str]:
        """A warning if the job asks for checkpoints and there is no folder."""
        missing = self._folder is None and self._job.checkpoint_interval > 0
        return [f"there are no checkpoints: {NO_FOLDER}"] if missing else []

    def latest(self) -> Checkpoint | None:
        """Load the checkpoint to continue from: the job's own last one, or that of the frame it asks for.

        Raises:
            SettingsError: There is none at or before that frame.
            WorkerError: It cannot be read.
        """
        if self._folder is None:
            if self._job.continue_from is not None:
                raise SettingsError(
                    f"the run cannot continue from frame {self._job.continue_from}, because there are no checkpoints: "
                    f"{NO_FOLDER}"
                )
            return None
        own = _newest_readable(_by_frame(self._folder, f"{self._structure}_{self._name}_*{SUFFIX}"))
        if own is not None:
            return own
        if self._job.continue_from is None:
            return None
        wanted = self._job.continue_from - self._job.frame_start
        found = _by_frame(self._folder, f"{self._structure}_*{SUFFIX}")
        earlier = _newest_readable([path for path in found if _frame(path) <= wanted])
        if earlier is None:
            raise SettingsError(
                f"there is no checkpoint of these objects at or before frame {self._job.continue_from}; run with a "
                "checkpoint interval first, and do not change meshes, cells and glue"
            )
        return earlier

    def is_due(self, frame: int) -> bool:
        """Return whether the run up to a frame is to be saved."""
        interval = self._job.checkpoint_interval
        return self._folder is not None and interval > 0 and frame > 0 and frame % interval == 0

    def save(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint. A partly written file is never visible.

        Raises:
            WorkerError: The file cannot be written.
        """
        if self._folder is None:
            return
        path = self._folder / f"{self._structure}_{self._name}_{checkpoint.frame:06d}{SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with files.replacing(path, sync=True) as part:
                arrays.save(part, checkpoint)
            _make_room(self._folder)
        except OSError as error:
            raise WorkerError(f"cannot write {path} ({error.strerror or error}); free some space") from error


def _by_frame(folder: Path, pattern: str) -> list[Path]:
    """Return the checkpoints by frame, and those of one frame by age, the newest last."""
    found = folder.glob(pattern) if folder.is_dir() else ()
    dated = [(_frame(path), status.st_mtime_ns, path) for path in found if (status := _status(path)) is not None]
    return [path for _, _, path in sorted(dated)]


def _make_room(folder: Path) -> None:
    found = folder.glob(f"[!.]*{SUFFIX}")
    entries = [(status, path) for path in found if (status := _status(path)) is not None]
    total = sum(status.st_size for status, _ in entries)
    for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns)[:-1]:
        if total <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= status.st_size


def _newest_readable(paths: Sequence[Path]) -> Checkpoint | None:
    """Load the last checkpoint that is whole; skip damaged files and those that another run has just removed.

    Raises:
        WorkerError: A file cannot be read, or belongs to another version.
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
    """Return size and time of a file; ``None`` if another run has just removed it."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _frame(path: Path) -> int:
    return int(path.stem.rsplit("_", 1)[1])
