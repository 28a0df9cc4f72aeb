"""Result of a run: fragments, and the pose of everything on each frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import ReadOnlyArrays
from .events import Events
from .surface import Surface

# Frame of an event that never happens. It is above Blender's largest frame; -1 would be a valid frame.
NEVER = 2**30


@dataclass(frozen=True)
class Fragment(ReadOnlyArrays):
    """A fragment of a body.

    Attributes:
        body: Row of ``Recording.bodies``.
        parent: Row of the fragment in ``Recording.fragments`` from which it broke off; -1 for the body.
        surface: Closed surface; points relative to ``center`` in rest orientation, m. ``face_source`` has triangles of
            the body's surface, and -1 on crack faces. ``corner_attributes`` has those of the body's surface and
            ``uv/interior``.
        interior: (F,) bool, True on crack faces.
        center: (3,) m, centre of mass in rest space.
        mass: kg.
        birth_frame: First frame on which it exists. Before that frame it moves with its parent.
        death_frame: First frame on which its children replace it, or ``NEVER``.
        poses: (T, 7), one for each frame of the recording. A quaternion has the sign nearer to the previous one.
    """

    body: int
    parent: int
    surface: Surface
    interior: np.ndarray
    center: np.ndarray
    mass: float
    birth_frame: int
    death_frame: int
    poses: np.ndarray


@dataclass(frozen=True)
class Deformed(ReadOnlyArrays):
    """A deformable body, with all fragments that it breaks into.

    Attributes:
        body: Row of ``Recording.bodies``.
        surface: Closed surfaces of all fragments, in rest space; attributes as for ``Fragment.surface``.
        interior: (F,) bool, True on crack faces. The two faces of a crack coincide until it opens.
        piece_of_face: (F,) int32, fragment of each face.
        points: (T, P, 3) float32 m, in the world, for each frame of the recording.
    """

    body: int
    surface: Surface
    interior: np.ndarray
    piece_of_face: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Track(ReadOnlyArrays):
    """Motion of an unbroken body, or of a dynamic projectile.

    Attributes:
        name: Name of the object.
        center: (3,) m, centre of mass in rest space.
        break_frame: First frame on which fragments replace it, or ``NEVER``.
        poses: (T, 7), one for each frame.
    """

    name: str
    center: np.ndarray
    break_frame: int
    poses: np.ndarray


@dataclass(frozen=True)
class Debris(ReadOnlyArrays):
    """Dust of a body that flies on as points.

    Attributes:
        body: Row of ``Recording.bodies``.
        birth_frames: (N,) int32, first frame on which each point exists.
        sizes: (N,) m, edge of a cube of the same volume.
        velocities: (N, 3) m/s in the world, at the break.
        poses: (T, N, 7), one for each frame. Before its birth, a point is where it breaks off.
    """

    body: int
    birth_frames: np.ndarray
    sizes: np.ndarray
    velocities: np.ndarray
    poses: np.ndarray


@dataclass(frozen=True)
class Recording:
    """The result of a job.

    Attributes:
        frame_start: Frame of the first row of every ``poses``.
        bodies: One track for each body of the job, in its order.
        projectiles: One track for each dynamic collider of the job, in its order.
        fragments: Fragments; parents come before children.
        report: Figures of the run by name, in types that JSON can write (``timeline.simulate``).
        deformed: Deformable bodies; they have no fragments.
        debris: Debris of the bodies that have any.
        events: Impacts, breaks and collisions of the rigid bodies.
    """

    frame_start: int
    bodies: tuple[Track, ...]
    projectiles: tuple[Track, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)
    deformed: tuple[Deformed, ...] = ()
    debris: tuple[Debris, ...] = ()
    events: Events = field(default_factory=Events)
