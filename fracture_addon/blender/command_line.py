"""``shatter``: a file in, a .blend with keyframed pieces out. The same in a bare bpy module and in Blender.

python -m fracture_addon INPUT --output OUT.blend
blender --command shatter INPUT --output OUT.blend
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..core.data.errors import CancelledError, FractureError, InvalidMeshError, SceneError, SettingsError, WorkerError
from ..core.data.job import Job
from ..core.storage import files
from . import (
    bake,
    extension,
    import_model,
    mesh_cache,
    read_scene,
    render,
    results,
    settings,
    stress_preview,
    user_cache,
)
from .arguments import parse
from .job_process import look_inside, run_job
from .prepared import prepared
from .progress_bar import ProgressBar

DONE, WRONG_USAGE, REFUSED, FAILED, CANCELLED = 0, 2, 3, 4, 130
EXACT = 1e-6
# What a compressed .blend ends with.
SEEK_TABLE = b"\xb1\xea\x92\x8f"


def main(argv: Sequence[str], prog: str = "shatter") -> int:
    """Run the command.

    Args:
        argv: Arguments behind the command's name.
        prog: How the command was called, for messages.

    Returns:
        The exit code: 0 done, 2 wrong usage, 3 input refused, 4 simulation failed, 130 cancelled.
    """
    try:
        arguments = parse(list(argv), prog)
    except SystemExit as ending:
        return int(ending.code or DONE)
    try:
        with _interruptible():
            _shatter(arguments)
    except (KeyboardInterrupt, CancelledError):
        return _say(prog, "cancelled; nothing was written", CANCELLED)
    except SettingsError as error:
        return _say(prog, error, WRONG_USAGE)
    except (InvalidMeshError, SceneError) as error:
        return _say(prog, error, REFUSED)
    except FractureError as error:
        return _say(prog, error, FAILED)
    return DONE


def _shatter(arguments: Namespace) -> None:
    seconds: dict[str, float] = {}
    with _timed(seconds, "reading"):
        objects = prepared(arguments)
        _refuse_files_in_use(arguments)
        context: Any = bpy.context
        options = {
            "input": arguments.input.name if arguments.input is not None else arguments.scene,
            "scenario": arguments.scenario,
        }
        job = read_scene.read_job(context, objects, settings.frame_range(context.scene), options)
    fault = user_cache.find().fault
    if fault:
        _line(f"warning: {fault}")
    with _timed(seconds, "simulating"), ProgressBar(sys.stdout) as bar:
        recording, stages = run_job(
            job, lambda said: bar.show(said.stage, said.share, said.note), extension.job_folder()
        )
    with _timed(seconds, "baking"):
        collections = bake.bake(context, job, recording, objects, stages)
        reports = [
            {**body, "warnings": json.loads(collection[results.REPORT])["warnings"]}
            for body, collection in zip(recording.report["bodies"], collections, strict=True)
        ]
    if arguments.stress:
        with _timed(seconds, "looking"), ProgressBar(sys.stdout) as bar:
            found = look_inside(job, lambda said: bar.show(said.stage, said.share, said.note), extension.job_folder())
        stress_preview.show(context, objects, found)
    with _timed(seconds, "saving"):
        _save(arguments.output)
    for body in reports:
        _tell(body)
    _line(f"Wrote {arguments.output}")
    if arguments.render is not None:
        with _timed(seconds, "rendering"):
            render.render_sheet(context, recording, job.frame_end, arguments.render.resolve())
        _line(f"Wrote {arguments.render}")
    if arguments.report is not None:
        _write_report(arguments, job, {**recording.report, "bodies": reports}, {**stages, **seconds})
        _line(f"Wrote {arguments.report}")


def _save(path: Path) -> None:
    target, copied = path.resolve(), []
    try:
        with import_model.quiet(), files.replacing(target, sync=True) as part:
            for image in bpy.data.images:
                # The file goes on looking right when it is moved away from the model's textures.
                if (
                    image.source == "FILE"
                    and not image.packed_file
                    and Path(bpy.path.abspath(image.filepath)).is_file()
                ):
                    image.pack()
            copied = mesh_cache.take_along(target)
            try:
                bpy.ops.wm.save_as_mainfile(filepath=str(part), check_existing=False)
            finally:
                part.with_name(f"{part.name}@").unlink(missing_ok=True)  # Blender's own half-written file
            if not _is_whole(part):
                raise RuntimeError("its end is missing, the disk is full")
    except (RuntimeError, OSError) as error:
        for item in copied:
            item.unlink(missing_ok=True)
        raise WorkerError(f"'{path}' cannot be written: {' '.join(str(error).split())}; free some space") from error


def _is_whole(path: Path) -> bool:
    """Whether a .blend has its end: Blender 5.2 does not notice when the disk fills up before it."""
    with open(path, "rb") as file:
        file.seek(-min(path.stat().st_size, 32), os.SEEK_END)
        end = file.read()
    return b"ENDB" in end or end.endswith(SEEK_TABLE)


def _write_report(arguments: Namespace, job: Job, told: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    report = {
        "input": str(arguments.input or arguments.scene),
        "output": str(arguments.output),
        "scenario": arguments.scenario,
        "frames": [job.frame_start, job.frame_end],
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        **told,
        "warnings": [*told.get("warnings", ()), *filter(None, [user_cache.find().fault])],
    }
    try:
        with files.replacing(arguments.report.resolve(), sync=True) as part:
            part.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkerError(f"'{arguments.report}' cannot be written: {error.strerror}; free some space") from error


def _refuse_files_in_use(arguments: Namespace) -> None:
    """Check that nothing is written over a picture, a library or a cache file that the scene uses.

    Raises:
        SettingsError: The option and the file.
    """
    used = {Path(path).resolve() for path in bpy.utils.blend_paths(absolute=True)}
    for option in ("output", "report", "render"):
        path = getattr(arguments, option)
        if path is not None and path.resolve() in used:
            raise SettingsError(f"--{option} {path}: the scene uses this file; choose another name")


def _tell(body: Mapping) -> None:
    error = abs(body["volume_error"])
    volume = "volume exact" if error < EXACT else f"volume off by {error:.2%}"
    load = f", peak load {body['load_factor']:.3g} times the breaking load" if body["breaks"] else ""
    _line(f"{body['name']}: {body['fragments']} pieces, {volume}{load}")
    if body["repair"].get("changed"):
        _line(f"  repaired: {body['repair']['sentence']}")
    for warning in body["warnings"]:
        _line(f"  warning: {warning}")


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _say(prog: str, reason: object, code: int) -> int:
    sys.stderr.write(f"{prog}: {' '.join(str(reason).split())}\n")
    return code


@contextlib.contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C and a request to end reach us as ``KeyboardInterrupt``: Blender has its own handler for the former."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            # Blender's own handler is not Python's, and cannot be put back: the system's default is.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
