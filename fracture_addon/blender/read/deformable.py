"""Input of deformable bodies only: keyed gravity and stiffness, wind, glue; and pins, which rigid bodies have too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError
from ...core.data.job import Glue
from ...core.data.placed_fields import PaintedField
from ...core.data.surface import Surface
from ...core.data.thin import Thin
from ...core.data.wind import Wind
from . import fields, motion
from .thin import pinned_ends, structure_of

KINDS = {"WIND": "uniform", "VORTEX": "vortex", "TURBULENCE": "turbulence"}


def is_deformable(obj: bpy.types.Object) -> bool:
    """Return whether an object deforms for the whole shot. Ropes and sheets always do."""
    return obj.fracture.dynamics == "DEFORMABLE" or structure_of(obj).always_deforms


def is_pinned(obj: bpy.types.Object) -> bool:
    """Return whether an object has pinned points. These follow its own animation."""
    ends = structure_of(obj).is_line and obj.fracture.pinned_ends != "NONE"
    return ends or bool(obj.fracture.pin_group)


def tracks(
    context: Any, objects: Sequence[bpy.types.Object], frames: Sequence[int]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Sample keyed gravity and keyed stiffness. Call it within ``motion.visiting``.

    Returns:
        Gravity (T, 3), m/s2, empty if it does not change; stiffness factors (T,) per object with animation.
    """
    scene = context.scene
    moving = [obj for obj in objects if is_deformable(obj) and obj.animation_data is not None]
    keyed = scene.animation_data is not None and any(map(is_deformable, objects))
    gravity, stiffness = np.zeros((len(frames), 3)), {obj.name: np.ones(len(frames)) for obj in moving}
    if not moving and not keyed:
        return gravity[:0], {}
    for row, frame in enumerate(frames):
        scene.frame_set(frame)
        gravity[row] = np.array(scene.gravity) * scene.unit_settings.scale_length if scene.use_gravity else 0.0
        depsgraph = context.evaluated_depsgraph_get()
        for obj in moving:
            stiffness[obj.name][row] = obj.evaluated_get(depsgraph).fracture.stiffness
    if np.ptp(gravity, axis=0).max() == 0.0:
        gravity = gravity[:0]
    return gravity, stiffness


def winds(context: Any) -> tuple[Wind, ...]:
    """Read the force fields of type Wind, Vortex and Turbulence. Their strength is the speed of the air, m/s.

    Each field is constant in time, with its values on the current frame. Flow and falloff are ignored.
    """
    depsgraph = context.evaluated_depsgraph_get()
    unit = context.scene.unit_settings.scale_length
    result = []
    for obj in sorted(context.view_layer.objects, key=lambda obj: obj.name):
        field = obj.field
        if field is None or field.type not in KINDS or not field.strength or obj.hide_viewport:
            continue
        matrix = motion.world_matrix(obj, depsgraph)
        axis = matrix[:3, 2] / max(float(np.linalg.norm(matrix[:3, 2])), 1e-30)
        size = max(unit * field.size, 1e-3) if field.type == "TURBULENCE" else 1.0
        gusts = min(field.noise / 10.0, 1.0)
        result.append(Wind(KINDS[field.type], unit * matrix[:3, 3], axis, field.strength, size, gusts, field.seed))
    return tuple(result)


def glues(objects: Sequence[bpy.types.Object], unit: float) -> tuple[Glue, ...]:
    """Read the glue between deformable objects.

    Args:
        objects: Objects of the run.
        unit: Metres per scene unit.

    Raises:
        SceneError: An object is glued to an object outside the run.
    """
    rows = {obj: row for row, obj in enumerate(objects)}
    result = []
    for row, obj in enumerate(objects):
        if not is_deformable(obj):
            continue
        for glue in (obj.fracture, *obj.fracture.more_glue):
            other = glue.glue_object
            if other is None:
                continue
            if other not in rows:
                raise SceneError(
                    f"'{obj.name}' is glued to '{other.name}', which is not selected; "
                    "select both, or clear Glue to Object"
                )
            kind = glue.glue_kind.lower()
            result.append(Glue(row, rows[other], unit * glue.glue_distance, kind, glue.glue_strength))
    return tuple(result)


def pinned(obj: bpy.types.Object, surface: Surface, thin: Thin | None) -> PaintedField | None:
    """Read the pinned points of an object as a field with values 0 to 1; ``None`` without any.

    Args:
        obj: The object.
        surface: Surface of the object, or of the rope, sheet or shell that it becomes.
        thin: The rope, sheet or shell; ``None`` for a solid.

    Raises:
        SettingsError: The vertex group does not exist.
    """
    if thin is not None and thin.is_line:
        return pinned_ends(obj, surface, thin)
    name = obj.fracture.pin_group
    if not name:
        return None
    return PaintedField(surface.points, surface.faces, fields.weights_of(obj, surface, name, "How It Moves"))
