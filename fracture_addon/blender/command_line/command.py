"""Command line ``shatter``: break a file and write a .blend with keyframed pieces, in Blender or with the bpy module.

python -m fracture_addon INPUT --output OUT.blend
blender --command shatter INPUT --output OUT.blend
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import SettingsError, WorkerError
from ...core.data.job import Job
from ...core.storage import files, folders
from .. import extension
from ..process import user_cache
from ..process.job_process import run_job, run_stress_preview
from ..read import settings
from ..read.job import read_job, read_job_at_rest
from ..scene import result_lookup
from ..setup import named_settings
from ..write import bake, event_table, mesh_cache, stress_preview
from . import contact_sheet, film, import_model
from .arguments import parse
from .exit_codes import DONE, exit_code
from .prepare import prepared
from .progress_bar import ProgressBar

# Relative error of the volume below which it is printed as "exact"; above the rounding error of float32 points.
EXACT = 1e-6
# Last bytes of a compressed .blend: magic number of the seekable Zstandard format.
SEEK_TABLE = b"\xb1\xea\x92\x8f"


def main(argv: Sequence[str], prog: str = "shatter") -> int:
    """Run the command.

    Args:
        argv: Arguments after the command's name.
        prog: Name of the command, for messages.

    Returns:
        The exit code: 0 done, 2 wrong usage, 3 input refused, 4 simulation failed, 130 cancelled.
    """

    def run() -> int:
        _shatter(parse(list(argv), prog))
        return DONE

    return exit_code(prog, run)


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
        if arguments.scenario == "fracture":
            job, task = read_job_at_rest(context, objects, options), "fracture"
        else:
            job, task = read_job(context, objects, settings.frame_range(context.scene), options), "recording"
    job = replace(job, log_events=job.log_events or arguments.events is not None)
    warnings = [*named_settings.unused(objects, arguments.set), *filter(None, [user_cache.find().fault])]
    for warning in warnings:
        _line(f"warning: {warning}")
    with _timed(seconds, "simulating"), ProgressBar(sys.stdout) as bar:
        recording, stages = run_job(job, bar.show_progress, extension.job_folder(), task)
    # The output gets copies of the files of deformed objects. Nothing stays beside the input or in the user's folder.
    with folders.temporary(extension.job_folder()) as place:
        with _timed(seconds, "baking"):
            collections = bake.bake(context, job, recording, objects, stages, place)
            reports = [
                {**body, "warnings": json.loads(collection[result_lookup.REPORT])["warnings"]}
                for body, collection in zip(recording.report["bodies"], collections, strict=True)
            ]
        if arguments.stress:
            with _timed(seconds, "stress preview"), ProgressBar(sys.stdout) as bar:
                stresses = run_stress_preview(job, bar.show_progress, extension.job_folder())
            stress_preview.show(context, objects, stresses)
        with _timed(seconds, "saving"):
            _save(arguments.output)
    for body in reports:
        _print_result(body)
    _line(f"Wrote {arguments.output}")
    if arguments.render is not None:
        with _timed(seconds, "rendering"):
            contact_sheet.render_sheet(context, recording, job.frame_end, arguments.render.resolve())
        _line(f"Wrote {arguments.render}")
    if arguments.film is not None:
        with _timed(seconds, "filming"):
            film.render_film(context, recording, job.frame_end, arguments.film.resolve())
        _line(f"Wrote {arguments.film}")
    if arguments.events is not None:
        names = [body.name for body in job.bodies]
        event_table.write(arguments.events, event_table.text([(recording.events, names)]))
        _line(f"Wrote {arguments.events}")
    if arguments.report is not None:
        warnings = [*recording.report.get("warnings", ()), *warnings]
        result = {**recording.report, "bodies": reports, "warnings": warnings}
        _write_report(arguments, job, result, {**stages, **seconds})
        _line(f"Wrote {arguments.report}")


def _save(path: Path) -> None:
    target, copied = path.resolve(), []
    try:
        with import_model.quiet(), files.replacing(target, sync=True) as part:
            for image in bpy.data.images:
                # Packed textures stay visible when the file is moved.
                if (
                    image.source == "FILE"
                    and not image.packed_file
                    and Path(bpy.path.abspath(image.filepath)).is_file()
                ):
                    image.pack()
            copied = mesh_cache.copy_files_for(target)
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
    """Return whether a .blend is complete: Blender 5.2 does not notice that the disk fills up before its end."""
    with open(path, "rb") as file:
        file.seek(-min(path.stat().st_size, 32), os.SEEK_END)
        end = file.read()
    return b"ENDB" in end or end.endswith(SEEK_TABLE)


def _write_report(arguments: Namespace, job: Job, result: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    report = {
        "input": str(arguments.input or arguments.scene),
        "output": str(arguments.output),
        "scenario": arguments.scenario,
        "frames": [job.frame_start, job.frame_end],
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        **result,
    }
    try:
        with files.replacing(arguments.report.resolve(), sync=True) as part:
            part.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkerError(f"'{arguments.report}' cannot be written: {error.strerror}; free some space") from error


def _refuse_files_in_use(arguments: Namespace) -> None:
    """Refuse to overwrite an image, library or cache file that the scene uses.

    Raises:
        SettingsError: An output is such a file.
    """
    used = {Path(path).resolve() for path in bpy.utils.blend_paths(absolute=True)}
    for option in ("output", "report", "render", "film", "events"):
        path = getattr(arguments, option)
        if path is not None and path.resolve() in used:
            raise SettingsError(f"--{option} {path}: the scene uses this file; choose another name")


def _print_result(body: Mapping) -> None:
    error = abs(body["volume_error"])
    volume = "volume exact" if error < EXACT else f"volume error {error:.2%}"
    load = (
        f", peak load {body['load_factor']:.3g} times the breaking load"
        if body["breaks"] and body["load_factor"]
        else ""
    )
    _line(f"{body['name']}: {body['fragments']} pieces, {volume}{load}")
    if body["repair"].get("changed"):
        _line(f"  repaired: {body['repair']['sentence']}")
    for warning in body["warnings"]:
        _line(f"  warning: {warning}")


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@contextlib.contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - start
