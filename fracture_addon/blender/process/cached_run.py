"""The last run of a scene, stored in the artist's cache folder, so that it can be baked again without computing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.data import arrays
from ...core.data.errors import FolderError, SceneError
from ...core.data.job import Job
from ...core.data.recording import Recording
from ...core.storage import files
from .. import extension

# The job and the recording are in one file, so that they always belong together.
NAME = "cached_run.npz"


@dataclass(frozen=True)
class CachedRun:
    """A job and its result."""

    job: Job
    recording: Recording


def store(scene: Any, job: Job, recording: Recording) -> None:
    """Store a job and its recording in the scene's cache folder, if the scene has one.

    Raises:
        SceneError: The folder cannot be written; an older run in it stays.
    """
    if not scene.fracture.cache_path:
        return
    try:
        path = _path(scene)
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.replacing(path, sync=True) as part:
            arrays.save(part, CachedRun(job, recording))
    except FolderError as error:
        raise SceneError(f"The run cannot be stored: {error}") from error
    except OSError as error:
        raise SceneError(
            f"The run cannot be stored in '{path.parent}': {error.strerror or error}; choose another folder"
        ) from error


def load(scene: Any) -> CachedRun:
    """Return the run in the scene's cache folder.

    Raises:
        SceneError: There is no run, or it is damaged or of another version.
        FolderError: The cache path is relative to a file that is not saved.
    """
    path = _path(scene)
    try:
        return arrays.load(path, CachedRun)
    except OSError as error:
        reason = f"contains no readable run ({error.strerror or error})"
    except arrays.DamagedFileError as error:
        reason = f"contains a damaged run ('{path.name}': {error})"
    except (ValueError, KeyError, TypeError):
        reason = f"contains a run of another version of Fracture ('{path.name}')"
    raise SceneError(f"'{path.parent}' {reason}; press Shatter to make a new one")


def _path(scene: Any) -> Path:
    return extension.artist_folder(scene.fracture.cache_path, "Cache Folder") / NAME
