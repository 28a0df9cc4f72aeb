"""The folder of the results of a plan.

    plan.json                   the runs; marks the folder as one of this program
    runs/00001/report.json      written last and as a whole: the run is done
    runs/00001/failure.json     the run failed; ``code`` and ``message``
    runs/00001/...              other files of the run

Only the note of a failure is ever removed here, when its run is repeated.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ..core.data.errors import SettingsError, WorkerError
from ..core.storage import files
from . import plan as plans
from .plan import Plan

PLAN, REPORT, FAILURE, LOCK = "plan.json", "report.json", "failure.json", "lock"
# Exit code of a run that was cancelled; it stays open.
CANCELLED = 130
State = Literal["done", "failed", "open"]


def open_for(plan: Plan, folder: Path) -> None:
    """Create the folder of a plan, or accept the one that an earlier run of the same plan left.

    Raises:
        SettingsError: The folder contains something else, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / PLAN).exists():
            _check_same(plan, read_plan(folder), folder)
            return
        # A killed process may have left the plan half written.
        if any(not name.startswith(files.PART) for name in os.listdir(folder)):
            raise SettingsError(f"'{folder}' contains files that this command did not write; choose an empty folder")
        _write(folder / PLAN, plan.as_json())
    except FileExistsError as error:
        raise SettingsError(f"'{folder}' is a file; choose a folder") from error
    except OSError as error:
        raise SettingsError(
            f"'{folder}' cannot be written ({error.strerror or error}); choose another folder"
        ) from error


def read_plan(folder: Path) -> Plan:
    """Read the plan of a folder.

    Raises:
        SettingsError: The folder has none.
    """
    content = _read(folder / PLAN)
    try:
        return plans.from_json(content or {})
    except (KeyError, TypeError) as error:
        raise SettingsError(f"'{folder}' contains no results of this command; choose another folder") from error


def run_folder(folder: Path, number: int) -> Path:
    """Return the folder of a run."""
    return folder / "runs" / f"{number:05d}"


def report(folder: Path, number: int) -> dict[str, Any] | None:
    """Return the report of a run that is done; ``None`` for another."""
    return _read(run_folder(folder, number) / REPORT)


def failure(folder: Path, number: int) -> dict[str, Any] | None:
    """Return the exit code and the message of a run that failed; ``None`` for another."""
    return _read(run_folder(folder, number) / FAILURE)


def state(folder: Path, number: int) -> State:
    """Return whether a run is done, failed, or is still open."""
    if report(folder, number) is not None:
        return "done"
    return "open" if failure(folder, number) is None else "failed"


def write_failure(folder: Path, number: int, code: int, message: str) -> None:
    """Note that a run failed.

    Raises:
        WorkerError: The note cannot be written.
    """
    path = run_folder(folder, number) / FAILURE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, {"code": code, "message": message})
    except OSError as error:
        raise WorkerError(f"'{path}' cannot be written ({error.strerror or error}); free some space") from error


def forget_failure(folder: Path, number: int) -> None:
    """Remove the note of a failure, if there is one."""
    (run_folder(folder, number) / FAILURE).unlink(missing_ok=True)


def execute_once(folder: Path, number: int, execute: Callable[[Path], tuple[int, str]]) -> int:
    """Execute a run unless it is done, and note its failure. Another process that executes the same run waits.

    Args:
        folder: Folder of the results.
        number: Number of the run.
        execute: Executes the run in its folder; returns its exit code and error message. The last file that it writes
            is the report.

    Returns:
        The exit code; 0 for a run that is done.

    Raises:
        WorkerError: The folder of the run cannot be written.
    """
    place = run_folder(folder, number)
    try:
        place.mkdir(parents=True, exist_ok=True)
        with locked(folder, number):
            if state(folder, number) == "done":
                return 0
            code, message = execute(place)
            if code not in (0, CANCELLED):
                write_failure(folder, number, code, message)
            elif code == 0:
                forget_failure(folder, number)
            return code
    except OSError as error:
        raise WorkerError(f"'{place}' cannot be written ({error.strerror or error}); free some space") from error


@contextlib.contextmanager
def locked(folder: Path, number: int) -> Iterator[None]:
    """Wait until no other process executes a run. The system releases the lock whenever a process ends.

    Where the file system has no locks, two processes may execute a run. Their files replace each other as a whole.
    """
    with open(run_folder(folder, number) / LOCK, "ab") as file:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _check_same(plan: Plan, earlier: Plan, folder: Path) -> None:
    if plan.command == earlier.command and plan.runs == earlier.runs and plan.pictures == earlier.pictures:
        changed = [path for path, digest in plan.inputs.items() if earlier.inputs.get(path) != digest]
        if not changed:
            return
        raise SettingsError(f"'{changed[0]}' changed since '{folder}' was begun; choose another folder")
    raise SettingsError(
        f"'{folder}' contains the results of other runs ({len(earlier.runs)} of '{earlier.title}'); "
        "choose another folder"
    )


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with files.replacing(path, sync=True) as part:
        part.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
