"""Prepare a scene by the command line's arguments."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.errors import SettingsError
from ...core.methods import table
from ..read.joints import with_joined
from ..setup import named_settings, presets, scenario, snapping
from ..write import looks
from . import import_model

# First and last frame for a model file, which has no frame range.
MODEL_FRAMES = (1, 80)
# Options and the object settings that they override.
OVERRIDES = {"violence": "violence", "resolution": "resolution", "pieces": "piece_count", "seed": "seed"}


def prepared(arguments: Namespace) -> list[bpy.types.Object]:
    """Open the input, set up the scenario, and apply the settings; return the objects to break.

    Args:
        arguments: Result of ``arguments.parse``.

    Raises:
        SettingsError: An object, preset, scene or setting does not exist, or a value is invalid.
        InvalidMeshError: The input cannot be read, or has no mesh or height.
    """
    context: Any = bpy.context
    objects = with_joined(context, import_model.chosen(_opened(arguments), arguments.object))
    scene = context.scene
    if arguments.input is not None and arguments.input.suffix.lower() != ".blend":
        scene.frame_start, scene.frame_end = MODEL_FRAMES
    if arguments.fps is not None:
        # Blender stores a rate such as 23.976 as a whole number over a factor.
        scene.render.fps = math.ceil(arguments.fps)
        scene.render.fps_base = scene.render.fps / arguments.fps
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
        if arguments.look:
            _give_look(obj)
    return objects


def _opened(arguments: Namespace) -> list[bpy.types.Object]:
    if arguments.input is not None:
        return import_model.open_input(arguments.input.resolve())
    path = presets.find(arguments.scene, presets.SCENES)
    if path is None:
        raise SettingsError(
            f"--scene {arguments.scene}: this scene does not exist; choose from {presets.known(presets.SCENES)}"
        )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return presets.build(bpy.context, path)


def _set_up(arguments: Namespace, context: Any, objects: Sequence[bpy.types.Object]) -> None:
    if arguments.scenario == "drop":
        scenario.drop(context, objects, arguments.drop_height, arguments.seed or 0)
    elif arguments.scenario == "ball":
        scenario.ball(context, objects, arguments.direction, arguments.speed)
    elif arguments.scenario == "impact":
        scenario.impact(context, objects, arguments.direction)
    elif arguments.scenario == "blast":
        scenario.blast(context, objects, arguments.direction, arguments.charge)
    elif arguments.scenario == "snap":
        snapping.snap(context, objects, "BEND")
    elif arguments.scenario == "quench":
        scenario.quench(context, objects)


def _override(arguments: Namespace, context: Any, obj: bpy.types.Object) -> None:
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
                f"--preset {arguments.preset}: this material does not exist; choose from {presets.known()}"
            )
        presets.apply(context, obj, path)
    named_settings.give(context.scene, obj, arguments.set)


def _give_look(obj: Any) -> None:
    if looks.look_of(obj) is None:
        raise SettingsError(f"{obj.name}: the material '{obj.fracture.material_name}' has no look; omit --look")
    looks.give(obj)


def _override_deforming(arguments: Namespace, context: Any, group: Any) -> None:
    if arguments.softening is not None:
        if not table.METHODS[group.method.lower()].capabilities.deformable:
            group.method = table.first_with(lambda able: able.deformable).upper()
        group.dynamics, group.softening = "DEFORMABLE", arguments.softening
    if arguments.made_as is not None:
        if not table.METHODS[group.method.lower()].capabilities.thin:
            group.method = table.first_with(lambda able: able.thin).upper()
        group.structure = arguments.made_as.upper()
    if arguments.thickness is not None:
        group.thickness = arguments.thickness / context.scene.unit_settings.scale_length
