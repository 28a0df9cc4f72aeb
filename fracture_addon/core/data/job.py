"""Everything that one run needs; the same job gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .material import Material
from .settings.settings import Settings
from .surface import Surface
from .thin import Thin
from .wind import Wind

# Rows of a pose: position (3) and unit quaternion w, x, y, z (4) of a body's centre of mass.
POSE_WIDTH = 7


@dataclass(frozen=True)
class AuthoredImpact:
    """A blow that the artist placed; it needs no collision.

    Attributes:
        frame: On which it falls.
        point, direction: (3,) where it hits, in the world at that frame, and which way it pushes.
        strength: Peak load over the load that would just break the body there.
        radius: m, of the contact patch; 0 for one that suits the cells.
    """

    frame: int
    point: np.ndarray
    direction: np.ndarray
    strength: float
    radius: float = 0.0


@dataclass(frozen=True)
class Body:
    """An object to break.

    Attributes:
        name: The object's name, as messages should call it.
        surface: In the world as it is on the first frame ("rest space"), metres.
        track: (T, 7) poses of the centre of mass a frame when the object is animated or held, T = 1 for still; else
            ``None``. A held body does not move under gravity and blows until it breaks, or until its track ends: after
            two frames or more, and before the run does, it moves on freely as it last moved. Of a body with pins only
            what is pinned is held.
        velocity, angular_velocity: (3,) m/s and rad/s on the first frame, of a body that is not held.
        impacts: Authored blows.
        stiffness_track: (T,) scale of a deformable body's stiffness a frame, or empty for none.
        thin: What it is made of where it is a rope, a sheet or a shell; its surface is then the skin of that.
        island: It is a part of an object, and is shown as a fragment of that from the first frame on.
    """

    name: str
    surface: Surface
    material: Material
    settings: Settings
    track: np.ndarray | None = None
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    impacts: tuple[AuthoredImpact, ...] = ()
    stiffness_track: np.ndarray = field(default_factory=lambda: np.zeros(0))
    thin: Thin | None = None
    island: bool = False


@dataclass(frozen=True)
class Glue:
    """What holds two deformable bodies together (Norton et al. 1991; Sweeney et al. 1991, section 5.3).

    Attributes:
        first, second: Rows of the job's bodies.
        distance: m, between nodes that are glued.
        kind: ``nodes`` (one takes the other's place) or ``bonds`` (a new bond between every two).
        strength: Threshold of what is glued over the weaker body's.
    """

    first: int
    second: int
    distance: float
    kind: str = "bonds"
    strength: float = 1.0


@dataclass(frozen=True)
class Collider:
    """An unbreakable object: a floor, a wall, a projectile.

    Attributes:
        name: The object's name.
        surface: Rest space (the world on the first frame), metres.
        shape: ``mesh``, ``hull``, ``box`` or ``sphere`` (fitted to the surface's points).
        mass: kg of a dynamic projectile; 0 for one that does not move, or only along its track.
        track: (T, 7) poses of the surface's vertex mean a frame, of an animated collider; else ``None``. A projectile
            follows it to its end, and flies on freely as it last moved.
        velocity, angular_velocity: (3,) on the first frame, of a dynamic one.
    """

    name: str
    surface: Surface
    shape: str = "mesh"
    mass: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0
    track: np.ndarray | None = None
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Job:
    """A scene to simulate.

    Attributes:
        frame_start, frame_end: Inclusive.
        frame_rate: Frames a second.
        substeps: Steps of the rigid world a frame.
        gravity: (3,) m/s2.
        gravity_track: (T, 3) m/s2 a frame, for deformable bodies, or empty where it stays the same.
        winds: That blow on deformable bodies.
        glues: Between deformable bodies.
        checkpoint_interval: Frames between two checkpoints of deformable bodies; 0 for none.
        continue_from: Frame whose checkpoint, or the last one before it, deformable bodies go on from, with the
            settings of now; ``None`` for the start.
        options: Free text a run carries to its report (who asked, which scenario); never read by the simulation.
    """

    bodies: tuple[Body, ...]
    colliders: tuple[Collider, ...] = ()
    frame_start: int = 1
    frame_end: int = 100
    frame_rate: float = 24.0
    substeps: int = 10
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    gravity_track: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    winds: tuple[Wind, ...] = ()
    glues: tuple[Glue, ...] = ()
    checkpoint_interval: int = 0
    continue_from: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
