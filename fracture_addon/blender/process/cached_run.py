"""Stored runs, so that their results can be baked again without computing.

With a cache folder, the last run of the scene is a file in it. Without one, the user's cache keeps the last runs, and
each result names its own run with a custom property of its collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ...core.data import arrays
from ...core.data.errors import FolderError, SceneError
from ...core.data.job import Job
from ...core.data.recording import Recording
from ...core.storage import files
from ...core.timeline.cache import Cache
from .. import extension
from ..scene.result_lookup import RUN, collection_of, subject_of
from . import user_cache

# The job and the recording are in one file, so that they always belong together.
NAME = "cached_run.npz"
# Folder of the runs in the user's cache, and name of the stage for ``Cache.result``.
RUNS, STAGE = "runs", "run"


@dataclass(frozen=True)
class CachedRun:
    """A job and its result."""

    job: Job
    recording: Recording


def store(scene: Any, objects: Sequence[Any], job: Job, recording: Recording) -> None:
    """Store a job and its recording: in the scene's cache folder if it has one, else in the user's cache.

    Args:
        scene: The scene.
        objects: Objects with the results of the run.
        job: The job.
        recording: Its result.

    Raises:
        SceneError: The cache folder cannot be written; an older run in it stays.
    """
    if not scene.fracture.cache_path:
        key = arrays.digest((job, recording))
        _of_user().result(STAGE, CachedRun, (key,), lambda: CachedRun(job, recording))
        mark(objects, key)
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


def mark(objects: Sequence[Any], key: str) -> None:
    """Store the key of a run with the results of its objects; an empty key stores nothing."""
    for collection in filter(None, map(collection_of, objects)):
        if key:
            collection[RUN] = key


def key_of(obj: Any) -> str:
    """Return the key of the run in the user's cache that an object's result, or a fragment's, shows; else empty."""
    source = subject_of(obj)
    collection = collection_of(source) if source is not None else None
    return collection.get(RUN, "") if collection is not None else ""


def load(scene: Any, key: str) -> CachedRun:
    """Return the run in the scene's cache folder; without a folder, the run of a key in the user's cache.

    Raises:
        SceneError: There is no run, or it is damaged or of another version.
        FolderError: The cache path is relative to a file that is not saved.
    """
    if not scene.fracture.cache_path:
        return _of_user().result(STAGE, CachedRun, (key,), _missing)
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


def _of_user() -> Cache:
    """Return the runs in the user's cache, as many as the preferences allow for the results of stages."""
    folder = user_cache.find().folder
    return Cache(folder / RUNS if folder is not None else None, extension.most_stage_bytes())


def _missing() -> NoReturn:
    raise SceneError(
        "The run of this result is no longer in the cache; press Shatter to make it again, or choose a Cache Folder in "
        "Preview and Cache to keep runs"
    )
