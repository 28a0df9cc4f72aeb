"""What a run gives back: fragments and where everything was on every frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .surface import Surface

# Frame of what does not happen: after every frame that Blender has. Frames of a shot may be negative.
NEVER = 2**30


@dataclass(frozen=True)
class Fragment:
    """A piece of a body.

    Attributes:
        body: Row of ``Recording.bodies``.
        parent: Row of ``Recording.fragments`` that it broke off, -1 for the body itself.
        surface: Closed; points relative to ``center`` in rest orientation. Its ``face_source`` names triangles of the
            body's surface, -1 inside; ``corner_attributes`` has all that the body's surface has, and ``uv/interior``.
        interior: (F,) bool, faces that the crack made.
        center: (3,) centre of mass in rest space, metres.
        mass: kg.
        birth_frame: First frame on which it exists; poses before that are those it had as a part of its parent.
        death_frame: First frame on which its own children replace it, or ``NEVER``.
        poses: (T, 7), one a frame of the recording, each quaternion of the sign nearer to the one before.
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
class Deformed:
    """A body that deforms for the whole shot, with all pieces that it breaks into.

    Attributes:
        body: Row of ``Recording.bodies``.
        surface: Closed pieces, in rest space; attributes as of ``Fragment.surface``.
        interior: (F,) bool, faces that the cracks made; before they open, the two sides of a crack lie on each other.
        piece_of_face: (F,) int32.
        points: (T, P, 3) float32 m, in the world, one a frame of the recording.
    """

    body: int
    surface: Surface
    interior: np.ndarray
    piece_of_face: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Track:
    """Motion of a whole body, or of a dynamic projectile.

    Attributes:
        name: Of the object.
        center: (3,) of mass in rest space, metres.
        break_frame: First frame on which fragments replace it, or ``NEVER``.
        poses: (T, 7), one a frame.
    """

    name: str
    center: np.ndarray
    break_frame: int
    poses: np.ndarray


@dataclass(frozen=True)
class Debris:
    """Dust of a body that flies on as grains.

    Attributes:
        body: Row of ``Recording.bodies``.
        birth_frames: (N,) int32, first frame on which each exists.
        sizes: (N,) m, edge of a cube as large.
        velocities: (N, 3) m/s, with which each broke off, in the world.
        poses: (T, N, 7), one a frame; before its birth, where it broke off.
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
        frame_start: Of the first row of every ``poses``.
        bodies: One a body of the job, in its order.
        projectiles: One a dynamic collider of the job, in its order.
        fragments: Parents before children.
        report: JSON-able a body: see ``timeline``.
        deformed: Bodies that deform; they have no fragments.
        debris: One a body that has any.
    """

    frame_start: int
    bodies: tuple[Track, ...]
    projectiles: tuple[Track, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)
    deformed: tuple[Deformed, ...] = ()
    debris: tuple[Debris, ...] = ()
