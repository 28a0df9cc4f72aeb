"""Read the blasts, pressures, grips, sounds, releases, freezes and thermal shocks of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from ...core.data.blast import Blast
from ...core.data.errors import SettingsError
from ...core.data.grip import Grip
from ...core.data.moving_volume import Freeze, MovingVolume
from ...core.data.pressure import InternalPressure
from ...core.data.sound import Sound
from ...core.data.thermal_shock import ThermalShock
from ..properties.placed_fields import PLACE_NAMES
from . import motion, settings
from .fields import sphere_of
from .mesh import read_surface

LOADS = ("BLAST", "PRESSURE", "GRIP", "SOUND", "THERMAL")

Load = TypeVar("Load", Blast, Freeze, InternalPressure, Sound, ThermalShock)


def is_load(obj: Any) -> bool:
    """Return whether an object acts as a blast, a pressure, a grip, a sound or a thermal shock."""
    return _acts_as(obj, *LOADS)


def placed_loads(context: Any, frame_range: tuple[int, int]) -> dict[str, Any]:
    """Read all loads, releases and freezes of the scene, by the names of their fields in a job.

    Call it within ``motion.visiting``. The arguments and errors are those of the functions below.
    """
    return {
        "blasts": blasts(context, frame_range),
        "pressures": pressures(context, frame_range),
        "grips": grips(context, frame_range),
        "sounds": sounds(context, frame_range),
        "releases": releases(context, frame_range),
        "freezes": freezes(context, frame_range),
        "thermal_shocks": thermal_shocks(context, frame_range),
    }


def blasts(context: Any, frame_range: tuple[int, int]) -> tuple[Blast, ...]:
    """Read the blasts of the scene, each with the position of its object on its frame.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A blast has no charge, or is outside the frame range.
    """

    def read(obj: Any, factor: float) -> Blast:
        frame = obj.fracture.place_frame
        context.scene.frame_set(frame)
        return Blast(frame, _place(context, obj), settings.plain(obj.fracture.place_charge), factor)

    return tuple(_read(context, "BLAST", frame_range, read))


def pressures(context: Any, frame_range: tuple[int, int]) -> tuple[InternalPressure, ...]:
    """Read the pressures of the scene, each with the position of its object on the first frame.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A pressure is not above zero, or is outside the frame range.
    """

    def read(obj: Any, factor: float) -> InternalPressure:
        context.scene.frame_set(frame_range[0])
        pressure = settings.plain(obj.fracture.place_pressure)
        return InternalPressure(obj.name, obj.fracture.place_frame, _place(context, obj), pressure, factor)

    return tuple(_read(context, "PRESSURE", frame_range, read))


def sounds(context: Any, frame_range: tuple[int, int]) -> tuple[Sound, ...]:
    """Read the sounds of the scene, each with the position of its object on its first frame.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A sound is too loud, ends before it starts, or is outside the frame range.
    """

    def read(obj: Any, factor: float) -> Sound:
        group = obj.fracture
        context.scene.frame_set(group.place_frame)
        frequency, level = settings.plain(group.place_frequency), settings.plain(group.place_level)
        last = group.place_release or frame_range[1]
        return Sound(obj.name, group.place_frame, last, _place(context, obj), frequency, level, factor)

    return tuple(_read(context, "SOUND", frame_range, read))


def grips(context: Any, frame_range: tuple[int, int]) -> tuple[Grip, ...]:
    """Read the grips of the scene, each with the motion of its object until it lets go.

    Call it within ``motion.visiting``; it leaves the scene on the first frame.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A grip has no size or lets go before the second frame.
    """
    start, end = frame_range
    objects = _acting_as(context, "GRIP")
    sampled = motion.sample(context, objects, range(start, end + 1))
    context.scene.frame_set(start)
    unit, depsgraph = context.scene.unit_settings.scale_length, context.evaluated_depsgraph_get()
    found = []
    for obj in objects:
        group = obj.fracture
        if group.place_release and group.place_release <= start:
            raise SettingsError(
                f"The grip '{obj.name}' lets go on frame {group.place_release}, but the run starts on frame {start}; "
                "choose a later frame, or 0 to hold on"
            )
        count = min(group.place_release or end, end) - start + 1
        matrices = np.diag([unit, unit, unit, 1.0]) @ sampled[obj.name][:count]
        center, radius = sphere_of(obj, depsgraph, matrices[0])
        stiffness, factor = settings.plain(group.place_stiffness), settings.plain(group.place_load_factor)
        try:
            track = motion.rigid_motion(matrices, center)
            found.append(Grip(obj.name, radius, track, stiffness, factor if group.place_relative else 0.0))
        except SettingsError as error:
            raise SettingsError(f"'{obj.name}': {error}") from None
    return tuple(found)


def releases(context: Any, frame_range: tuple[int, int]) -> tuple[MovingVolume, ...]:
    """Read the releases of the scene: the shape of each object on the first frame, and its motion and scale.

    Call it within ``motion.visiting``; it leaves the scene on the first frame.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        InvalidMeshError: A mesh has no faces, or invalid coordinates.
    """
    return _volumes(context, "RELEASE", frame_range)


def freezes(context: Any, frame_range: tuple[int, int]) -> tuple[Freeze, ...]:
    """Read the freezes of the scene, as ``releases`` does, and their frames.

    Call it within ``motion.visiting``; it leaves the scene on the first frame.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        InvalidMeshError: A mesh has no faces, or invalid coordinates.
        SettingsError: A freeze ends before it starts, or is outside the frame range.
    """
    volumes = {volume.name: volume for volume in _volumes(context, "FREEZE", frame_range)}

    def read(obj: Any, _factor: float) -> Freeze:
        group = obj.fracture
        return Freeze(volumes[obj.name], group.place_frame, group.place_release or frame_range[1])

    return tuple(_read(context, "FREEZE", frame_range, read))


def _volumes(context: Any, kind: str, frame_range: tuple[int, int]) -> tuple[MovingVolume, ...]:
    """Read the objects of a kind as volumes."""
    start, end = frame_range
    objects = _acting_as(context, kind)
    sampled = motion.sample(context, objects, range(start, end + 1))
    context.scene.frame_set(start)
    unit, depsgraph = context.scene.unit_settings.scale_length, context.evaluated_depsgraph_get()
    found = []
    for obj in objects:
        matrices = np.diag([unit, unit, unit, 1.0]) @ sampled[obj.name]
        if obj.type == "MESH":
            found.append(MovingVolume(obj.name, matrices, read_surface(obj, depsgraph, np.eye(4))))
        else:
            size = obj.empty_display_size
            found.append(MovingVolume(obj.name, matrices @ np.diag([size, size, size, 1.0])))
    return tuple(found)


def thermal_shocks(context: Any, frame_range: tuple[int, int]) -> tuple[ThermalShock, ...]:
    """Read the thermal shocks of the scene, each with the place and the shape of its object on its frame.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A temperature difference is zero, a volume has no size, or one is outside the frame range.
        InvalidMeshError: A mesh has no faces, or invalid coordinates.
    """
    unit = context.scene.unit_settings.scale_length

    def read(obj: Any, factor: float) -> ThermalShock:
        context.scene.frame_set(obj.fracture.place_frame)
        depsgraph, group = context.evaluated_depsgraph_get(), obj.fracture
        matrix = np.diag([unit, unit, unit, 1.0]) @ motion.world_matrix(obj, depsgraph)
        surface = None
        if obj.type == "MESH":
            surface = read_surface(obj, depsgraph, np.eye(4))
        else:
            matrix = matrix @ np.diag([*3 * [obj.empty_display_size], 1.0])
        values = settings.plain(group.place_temperature), settings.plain(group.place_heat_transfer)
        return ThermalShock(obj.name, group.place_frame, matrix, *values, factor, surface, group.place_waits)

    return tuple(_read(context, "THERMAL", frame_range, read))


def _read(context: Any, kind: str, frame_range: tuple[int, int], read: Callable[[Any, float], Load]) -> Iterator[Load]:
    start, end = frame_range
    for obj in _acting_as(context, kind):
        group = obj.fracture
        if not start <= group.place_frame <= end:
            raise SettingsError(
                f"The {PLACE_NAMES[kind]} '{obj.name}' is on frame {group.place_frame}, outside the frames {start} to "
                f"{end}; change its frame or the frame range, or hide it in the viewport"
            )
        try:
            yield read(obj, settings.plain(group.place_load_factor) if group.place_relative else 0.0)
        except SettingsError as error:
            raise SettingsError(f"'{obj.name}': {error}") from None


def _acting_as(context: Any, kind: str) -> list[Any]:
    return sorted((item for item in context.scene.objects if _acts_as(item, kind)), key=lambda item: item.name)


def _acts_as(obj: Any, *kinds: str) -> bool:
    return obj.type in ("EMPTY", "MESH") and obj.fracture.place in kinds and not obj.hide_viewport


def _place(context: Any, obj: Any) -> Any:
    """Return the position (3,) m of an object on the current frame."""
    place = motion.world_matrix(obj, context.evaluated_depsgraph_get())[:3, 3]
    return context.scene.unit_settings.scale_length * place
