"""Read the impacts that the artist placed, and their load curve."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...core.data.errors import SceneError, SettingsError
from ...core.data.impact import Schedule
from ...core.data.job import AuthoredImpact
from ..scene.action_curves import curves_of
from . import motion

LOAD_PATH = "fracture.impact_load"
# Samples of a load curve, in addition to its keys. Straight lines between them miss a half sine by at most 0.12 % of
# its peak; 17 samples miss it by 0.5 %, and 65 by 0.03 %.
SAMPLES = 33
# Distance from the surface below which an arrow is on it, as a fraction of the object's size.
ON_SURFACE = 1e-3


def impacts_of(
    context: Any, obj: bpy.types.Object, frame_range: tuple[int, int], at_rest: bool = False
) -> tuple[AuthoredImpact, ...]:
    """Read the impacts on an object, with the pose of each empty on the frame of its impact.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        obj: Object to break.
        frame_range: First and last frame.
        at_rest: Whether all impacts act on the first frame, whatever their own frames are.

    Raises:
        SceneError: An impact has no empty or no direction.
        SettingsError: An impact is outside the frame range.
    """
    group = obj.fracture
    if not group.impact_enabled:
        return ()
    start, _ = frame_range
    return tuple(
        _impact(context, obj, impact, frame_range, start if at_rest else impact.impact_frame)
        for impact in (group, *group.more_impacts)
    )


def schedule_of(obj: bpy.types.Object) -> tuple[tuple[float, float], ...]:
    """Read the load curve of an object's impacts for ``Settings.impact_schedule``; empty without keys.

    Raises:
        SettingsError: The curve is invalid, for example 0 everywhere.
    """
    curves = curves_of(obj)
    curve: Any = None if curves is None else curves.find(LOAD_PATH)
    keys = [] if curve is None else [point.co[0] for point in curve.keyframe_points]
    if len(keys) < 2:
        return ()
    start, end = min(keys), max(keys)
    frames = np.union1d(np.array(keys, float), np.linspace(start, end, SAMPLES))
    # A smooth curve may go below its keys.
    loads = np.maximum([curve.evaluate(frame) for frame in frames], 0.0)
    times = (frames - start) / (end - start)
    try:
        Schedule(times, loads)
    except SettingsError as error:
        raise SettingsError(f"'{obj.name}': {error}; change the keys of the load curve") from None
    return tuple((float(time), float(load)) for time, load in zip(times, loads, strict=True))


def _impact(
    context: Any, obj: bpy.types.Object, impact: Any, frame_range: tuple[int, int], frame: int
) -> AuthoredImpact:
    empty, (start, end) = impact.impact_object, frame_range
    if empty is None:
        raise SceneError(
            f"The impact on '{obj.name}' has no empty; choose one in Where It Breaks, or turn the impact off"
        )
    if not start <= frame <= end:
        raise SettingsError(
            f"The impact on '{obj.name}' is on frame {frame}, outside the frames {start} to {end}; "
            "change its frame or the frame range"
        )
    context.scene.frame_set(frame)
    unit = context.scene.unit_settings.scale_length
    depsgraph = context.evaluated_depsgraph_get()
    matrix = motion.world_matrix(empty, depsgraph)
    direction = matrix[:3, 2]
    if not np.linalg.norm(direction) > 0.0:
        raise SceneError(
            f"The impact on '{obj.name}' has no direction, because the scale of '{empty.name}' is zero; set it to 1"
        )
    point = _point(obj.evaluated_get(depsgraph), matrix[:3, 3], direction)
    return AuthoredImpact(frame, unit * point, direction, impact.impact_strength, unit * impact.impact_radius)


def _point(evaluated: Any, start: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return the point of an impact, scene units: where an arrow from outside the object first meets its surface.

    For an arrow that starts on the surface or inside the object, or that misses it, the point is its start.

    Args:
        evaluated: The evaluated object.
        start: (3,) start of the arrow in the world.
        direction: (3,) direction of the arrow.
    """
    if evaluated.type != "MESH" or not evaluated.data.polygons:
        return start
    inverse = evaluated.matrix_world.inverted_safe()
    own = inverse @ Vector(start.tolist())
    found, nearest, normal, _face = evaluated.closest_point_on_mesh(own)
    away = own - nearest
    if not found or away.length < ON_SURFACE * max(evaluated.dimensions) or away.dot(normal) < 0.0:
        return start
    hit, point, _normal, _face = evaluated.ray_cast(own, inverse.to_3x3() @ Vector(direction.tolist()))
    return np.array(evaluated.matrix_world @ point) if hit else start
