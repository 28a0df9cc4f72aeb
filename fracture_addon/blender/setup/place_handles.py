"""Handles of the places in the 3D viewport: where they are, what they change, and the lines that show a place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from mathutils import Matrix, Vector

# Sides of a circle. A matter of taste.
SIDES = 48
# dB, level at which the handle of a sound is as far away as the empty is large. A matter of taste.
LEVEL = 100.0
# Least scale of an empty, to divide by.
LEAST_SCALE = 1e-9
# Share of the pointer's way that a handle moves while Shift is held, as in Blender's own gizmos.
PRECISE_SHARE = 0.1


@dataclass(frozen=True)
class Handle:
    """A handle that is dragged along an axis of a place, or around it to turn the place.

    Attributes:
        label: Name of what it changes.
        axis: (3,) axis of the place, local.
        distance: Returns how far the handle is from the place, scene units.
        change: Sets what the handle changes from that distance; ``None`` for a handle that turns the place.
        value: Returns what the handle changes, with its unit; ``None`` if it is the distance.
    """

    label: str
    axis: tuple[float, float, float]
    distance: Callable[[Any], float]
    change: Callable[[Any, float], None] | None = None
    value: Callable[[Any], str] | None = None

    def direction(self, place: Any) -> Vector:
        """Return the unit vector from a place to the handle, world space."""
        return (place.matrix_world.to_3x3() @ Vector(self.axis)).normalized()

    def point(self, place: Any) -> Vector:
        """Return where the handle of a place is, world space."""
        return place.matrix_world.translation + self.distance(place) * self.direction(place)

    def state(self, place: Any) -> Any:
        """Return what ``restore`` needs to undo a drag."""
        return place.matrix_world.copy() if self.change is None else self.distance(place)

    def restore(self, place: Any, state: Any) -> None:
        """Undo a drag."""
        if self.change is None:
            place.matrix_world = state
        else:
            self.change(place, state)

    def drag(
        self, place: Any, origin: Vector, direction: Vector, start: Vector, held: Collection[str] = frozenset()
    ) -> None:
        """Move the handle to a ray.

        Args:
            place: The place.
            origin: Origin of the ray below the pointer, world space.
            direction: Its unit vector.
            start: Where the handle was when the drag began, world space.
            held: ``SNAP`` (Ctrl) for round lengths, and for directions along axes and diagonals of the world;
                ``PRECISE`` (Shift) for a slower motion.
        """
        center = place.matrix_world.translation
        share = PRECISE_SHARE if "PRECISE" in held else 1.0
        if self.change is None:
            wanted = start.lerp(_on_plane(origin, direction, start), share) - center
            turn_to(place, _diagonal(wanted) if "SNAP" in held else wanted)
            return
        before = (start - center).length
        distance = max(before + share * (_along(center, self.direction(place), origin, direction) - before), 0.0)
        self.change(place, _round(distance) if "SNAP" in held else distance)


def turn_to(place: Any, wanted: Vector) -> None:
    """Turn a place about its own position until its Z axis has a direction of any length, world space."""
    if wanted.length == 0.0:
        return
    center = Matrix.Translation(place.matrix_world.translation)
    turn = place.matrix_world.to_3x3().col[2].normalized().rotation_difference(wanted.normalized())
    place.matrix_world = center @ turn.to_matrix().to_4x4() @ center.inverted() @ place.matrix_world


def _along(center: Vector, axis: Vector, origin: Vector, direction: Vector) -> float:
    """Return where a line through a center along an axis is nearest to a ray, as a distance from the center."""
    cosine = axis.dot(direction)
    between = origin - center
    if 1.0 - cosine * cosine < 1e-6:  # the viewer looks along the axis
        return 0.0
    return (between.dot(axis) - cosine * between.dot(direction)) / (1.0 - cosine * cosine)


def _on_plane(origin: Vector, direction: Vector, start: Vector) -> Vector:
    """Return the point of a ray in the plane through a point across the ray."""
    return origin + (start - origin).dot(direction) * direction


def _round(length: float) -> float:
    """Return the nearest multiple of half of the power of ten below a length."""
    step = 0.5 * 10.0 ** math.floor(math.log10(length)) if length > 0.0 else 1.0
    return step * round(length / step)


def _diagonal(direction: Vector) -> Vector:
    """Return the axis or diagonal of the world that is nearest to a direction of any length."""
    found = [Vector(signs) for signs in product((-1.0, 0.0, 1.0), repeat=3) if any(signs)]
    return max(found, key=lambda item: item.normalized().dot(direction))


def _scale(place: Any) -> float:
    return max(float(np.cbrt(abs(place.matrix_world.to_3x3().determinant()))), LEAST_SCALE)


def _size(place: Any) -> float:
    """Return the size that the empty shows, scene units."""
    return place.empty_display_size * _scale(place)


def _set_size(place: Any, distance: float) -> None:
    place.empty_display_size = distance / _scale(place)


def _loudness(place: Any) -> float:
    """Return where the handle of a sound is: at 1 for a level of 100 dB or for the breaking load, in sizes."""
    group = place.fracture
    return _size(place) * (group.place_load_factor if group.place_relative else group.place_level / LEVEL)


def _set_loudness(place: Any, distance: float) -> None:
    group, value = place.fracture, distance / _size(place)
    if group.place_relative:
        group.place_load_factor = value
    else:
        group.place_level = LEVEL * value


def _loudness_text(place: Any) -> str:
    group = place.fracture
    if group.place_relative:
        return f"{group.place_load_factor:.2f} times the breaking load"
    return f"{group.place_level:.0f} dB at a distance of 1 m"


def _setting(name: str, share: float = 1.0) -> tuple[Callable[[Any], float], Callable[[Any, float], None]]:
    """Return the functions of a handle at a share of a length of the place."""
    return (
        lambda place: share * getattr(place.fracture, name),
        lambda place, distance: setattr(place.fracture, name, distance / share),
    )


X, Y, DOWN, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
DIRECTION = Handle("Direction", Z, _size)
RADIUS = Handle("Radius", X, _size, _set_size)
HANDLES = {
    "PLANE": (
        DIRECTION,
        Handle("Width", DOWN, *_setting("place_width", 0.5)),
        # A plane without a radius is infinite; the handle then is where the plane is drawn.
        Handle("Radius", X, lambda place: place.fracture.place_reach or _size(place), _setting("place_reach")[1]),
    ),
    "REGION": (RADIUS,),
    "LAYERS": (DIRECTION, Handle("Period", DOWN, *_setting("place_period"))),
    "GRAIN": (DIRECTION,),
    "GRIP": (RADIUS,),
    "RELEASE": (RADIUS,),
    "FREEZE": (RADIUS,),
    "SOUND": (Handle("Loudness", Z, _loudness, _set_loudness, _loudness_text),),
    "THERMAL": (RADIUS,),
}


def outline(place: Any) -> np.ndarray:
    """Return the ends (L, 2, 3) of the lines that show a place, world space."""
    center, size = place.matrix_world.translation, _size(place)
    x, y, z = (place.matrix_world.to_3x3() @ Vector(axis) for axis in (X, Y, Z))
    x, y, z = x.normalized(), y.normalized(), z.normalized()
    kind = place.fracture.place
    lines = [] if kind not in ("PLANE", "LAYERS", "GRAIN") else [(center, center + size * z)]
    if kind == "SOUND":
        lines.append((center, center + _loudness(place) * z))
    if kind == "PLANE":
        radius, half = place.fracture.place_reach or size, 0.5 * place.fracture.place_width
        for height in {half, -half}:
            lines += _circle(center + height * z, radius * x, radius * y)
    if kind == "LAYERS":
        period = place.fracture.place_period
        for row in range(-1, 2):
            lines += _square(center + row * period * z, size * x, size * y)
    return np.array([[start[:], end[:]] for start, end in lines]).reshape(-1, 2, 3)


def _circle(center: Vector, x: Vector, y: Vector) -> list[tuple[Vector, Vector]]:
    angles = [2.0 * math.pi * row / SIDES for row in range(SIDES + 1)]
    points = [center + math.cos(angle) * x + math.sin(angle) * y for angle in angles]
    return list(pairwise(points))


def _square(center: Vector, x: Vector, y: Vector) -> list[tuple[Vector, Vector]]:
    corners = [center + x + y, center - x + y, center - x - y, center + x - y]
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))
