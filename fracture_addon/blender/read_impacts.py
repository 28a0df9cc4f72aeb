"""The blows that the artist placed, and the course of their load."""

from __future__ import annotations

import bpy
import numpy as np

from ..core.data.errors import SceneError, SettingsError
from ..core.data.impact import Schedule
from ..core.data.job import AuthoredImpact
from . import read_motion
from .action_curves import curves_of

LOAD_PATH = "fracture.impact_load"
# Places along a curve at which its course is read, beside its keys.
SAMPLES = 33


def impacts_of(context, obj: bpy.types.Object, frame_range: tuple[int, int]) -> tuple[AuthoredImpact, ...]:
    """The blows on an object, each where its empty is on its frame; call it within ``read_motion.visiting``.

    Raises:
        SceneError: One has no place, or no direction.
        SettingsError: One falls outside of the frame range.
    """
    group = obj.fracture
    if not group.impact_enabled:
        return ()
    return tuple(_impact(context, obj, blow, frame_range) for blow in (group, *group.more_impacts))


def schedule_of(obj: bpy.types.Object) -> tuple[tuple[float, float], ...]:
    """The course of the load of an object's blows, as ``Settings.impact_schedule``: empty without keys.

    Raises:
        SettingsError: The curve says nothing, such as one that is 0 throughout.
    """
    curves = curves_of(obj)
    curve = None if curves is None else curves.find(LOAD_PATH)
    keys = [] if curve is None else [point.co[0] for point in curve.keyframe_points]
    if len(keys) < 2:
        return ()
    start, end = min(keys), max(keys)
    frames = np.union1d(np.array(keys, float), np.linspace(start, end, SAMPLES))
    # A smooth curve may swing below the keys that it passes.
    loads = np.maximum([curve.evaluate(frame) for frame in frames], 0.0)
    times = (frames - start) / (end - start)
    try:
        Schedule(times, loads)
    except SettingsError as error:
        raise SettingsError(f"'{obj.name}': {error}; change the keys of the load curve") from None
    return tuple((float(time), float(load)) for time, load in zip(times, loads, strict=True))


def _impact(context, obj: bpy.types.Object, blow, frame_range: tuple[int, int]) -> AuthoredImpact:
    empty, frame, (start, end) = blow.impact_object, blow.impact_frame, frame_range
    if empty is None:
        raise SceneError(
            f"The impact on '{obj.name}' has no empty; choose one in the Impact panel, or turn the impact off"
        )
    if not start <= frame <= end:
        raise SettingsError(
            f"The impact on '{obj.name}' is on frame {frame}, outside the frames {start} to {end}; "
            "change its frame or the frame range"
        )
    context.scene.frame_set(frame)
    unit = context.scene.unit_settings.scale_length
    matrix = read_motion.world_matrix(empty, context.evaluated_depsgraph_get())
    direction = matrix[:3, 2]
    if not np.linalg.norm(direction) > 0.0:
        raise SceneError(
            f"The impact on '{obj.name}' has no direction, because the scale of '{empty.name}' is zero; set it to 1"
        )
    return AuthoredImpact(frame, unit * matrix[:3, 3], direction, blow.impact_strength, unit * blow.impact_radius)
