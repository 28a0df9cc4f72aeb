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

from ..core.errors import (
    CancelledError,
    FractureError,
    InvalidMeshError,
    SceneError,
    SettingsError,
    WorkerError,
)
from ..core.job import Job
from ..core.recording import Recording
from . import (
    bake,
    extension,
    import_model,
    mesh_cache,
    named_settings,
    presets,
    read_scene,
    render,
    scenario,
    settings,
    stress_preview,
)
from .arguments import parse
from .job_process import look_inside, run_job
from .progress_bar import ProgressBar

DONE, WRONG_USAGE, REFUSED, FAILED, CANCELLED = 0, 2, 3, 4, 130
MODEL_FRAMES = (1, 80)
# Options and the object settings that they override.
OVERRIDES = {"violence": "violence", "resolution": "resolution", "pieces": "piece_count", "seed": "seed"}
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
        objects = _prepared(arguments)
        context: Any = bpy.context
        options = {
            "input": arguments.input.name if arguments.input is not None else arguments.scene,
            "scenario": arguments.scenario,
        }
        job = read_scene.read_job(context, objects, settings.frame_range(context.scene), options)
    with _timed(seconds, "simulating"), ProgressBar(sys.stdout) as bar:
        recording, stages = run_job(job, lambda said: bar.show(said.stage, said.share), extension.job_folder())
    with _timed(seconds, "baking"):
        bake.bake(context, job, recording, objects, stages)
    if arguments.stress:
        with _timed(seconds, "looking"), ProgressBar(sys.stdout) as bar:
            found = look_inside(job, lambda said: bar.show(said.stage, said.share), extension.job_folder())
        stress_preview.show(context, objects, found)
    with _timed(seconds, "saving"):
        _save(arguments.output)
    for body in recording.report["bodies"]:
        _tell(body)
    _line(f"Wrote {arguments.output}")
    if arguments.render is not None:
        with _timed(seconds, "rendering"):
            render.render_sheet(context, recording, job.frame_end, arguments.render.resolve())
        _line(f"Wrote {arguments.render}")
    if arguments.report is not None:
        _write_report(arguments, job, recording, {**stages, **seconds})
        _line(f"Wrote {arguments.report}")


def _prepared(arguments: Namespace) -> list[bpy.types.Object]:
    """The input opened, the scenario set up, the settings given; returns what is to break."""
    objects = import_model.chosen(_opened(arguments), arguments.object)
    context, scene = bpy.context, bpy.context.scene
    if arguments.input is not None and arguments.input.suffix.lower() != ".blend":
        scene.frame_start, scene.frame_end = MODEL_FRAMES
    if arguments.frames is not None:
        scene.fracture.use_scene_range = True
        scene.frame_start, scene.frame_end = arguments.frames
    if arguments.checkpoint_every is not None:
        scene.fracture.checkpoint_interval = arguments.checkpoint_every
    if arguments.continue_from is not None:
        scene.fracture.use_continue, scene.fracture.continue_from = True, arguments.continue_from
    if arguments.height is not None:
        import_model.scale_to(objects, arguments.height)
    _set_up(arguments, context, objects)
    for obj in objects:
        _override(arguments, context, obj)
    return objects


def _opened(arguments: Namespace) -> list[bpy.types.Object]:
    if arguments.input is not None:
        return import_model.open_input(arguments.input.resolve())
    path = presets.find(arguments.scene, presets.SCENES)
    if path is None:
        raise SettingsError(
            f"--scene {arguments.scene}: there is no such scene; choose from {presets.known(presets.SCENES)}"
        )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return presets.build(bpy.context, path)


def _set_up(arguments: Namespace, context, objects: Sequence[bpy.types.Object]) -> None:
    if arguments.scenario == "drop":
        scenario.drop(context, objects, arguments.drop_height, arguments.seed or 0)
    elif arguments.scenario == "ball":
        scenario.ball(context, objects, arguments.direction, arguments.speed)
    elif arguments.scenario == "impact":
        scenario.impact(context, objects, arguments.direction)


def _override(arguments: Namespace, context, obj: bpy.types.Object) -> None:
    group = obj.fracture
    if arguments.method is not None:
        group.method = arguments.method.upper()
    _override_deforming(arguments, context, group)
    for option, name in OVERRIDES.items():
        if getattr(arguments, option) is not None:
            setattr(group, name, getattr(arguments, option))
    if arguments.dust is not None:
        group.dust = arguments.dust.upper()
    if arguments.islands is not None:
        group.islands = arguments.islands.upper()
    if arguments.repair is not None:
        group.repair = arguments.repair
    if arguments.one_object:
        group.one_object = True
    if arguments.wall is not None:
        group.wall_thickness = arguments.wall / context.scene.unit_settings.scale_length
    if arguments.preset is not None:
        path = presets.find(arguments.preset)
        if path is None:
            raise SettingsError(
                f"--preset {arguments.preset}: there is no such material; choose from {presets.known()}"
            )
        presets.apply(context, obj, path)
    named_settings.give(context.scene, obj, arguments.set)


def _override_deforming(arguments: Namespace, context, group) -> None:
    if arguments.softening is not None:
        group.method = "FEM" if group.method == "FEM" else "LATTICE"
        group.dynamics, group.softening = "DEFORMABLE", arguments.softening
    if arguments.made_as is not None:
        group.method, group.structure = "LATTICE", arguments.made_as.upper()
    if arguments.thickness is not None:
        group.thickness = arguments.thickness / context.scene.unit_settings.scale_length


def _save(path: Path) -> None:
    try:
        with import_model.quiet():
            for image in bpy.data.images:
                # The file goes on looking right when it is moved away from the model's textures.
                if (
                    image.source == "FILE"
                    and not image.packed_file
                    and Path(bpy.path.abspath(image.filepath)).is_file()
                ):
                    image.pack()
            mesh_cache.take_along(path.resolve())
            bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), check_existing=False)
        if not _is_whole(path):
            path.unlink()
            raise RuntimeError("no room was left for its end")
    except RuntimeError as error:
        raise WorkerError(f"'{path}' cannot be written: {' '.join(str(error).split())}; free some space") from error


def _is_whole(path: Path) -> bool:
    """Whether a .blend has its end: Blender 5.2 does not notice when the disk fills up before it."""
    with open(path, "rb") as file:
        file.seek(-min(path.stat().st_size, 32), os.SEEK_END)
        end = file.read()
    return b"ENDB" in end or end.endswith(SEEK_TABLE)


def _write_report(arguments: Namespace, job: Job, recording: Recording, seconds: Mapping[str, float]) -> None:
    report = {
        "input": str(arguments.input or arguments.scene),
        "output": str(arguments.output),
        "scenario": arguments.scenario,
        "frames": [job.frame_start, job.frame_end],
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        **recording.report,
    }
    try:
        arguments.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkerError(f"'{arguments.report}' cannot be written: {error.strerror}; free some space") from error


def _tell(body: Mapping) -> None:
    error = abs(body["volume_error"])
    volume = "volume exact" if error < EXACT else f"volume off by {error:.2%}"
    load = f", struck with {body['load_factor']:.3g} times the load that breaks it" if body["breaks"] else ""
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
