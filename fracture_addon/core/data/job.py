"""Input of a run. The same job gives the same bytes on the same machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from .arrays import ReadOnlyArrays
from .blast import Blast
from .errors import SceneError
from .grip import Grip
from .material import Material
from .moving_volume import Freeze, MovingVolume
from .pressure import InternalPressure
from .settings.settings import Settings
from .sound import Sound
from .surface import Surface
from .thermal_shock import ThermalShock
from .thin import Thin
from .wind import Wind

# Largest number of cells of a body at low detail. It keeps the run short: a break of a jar takes 0.1 s.
LOW_DETAIL = 2000
# Largest number of cells of a body in a rough run. Measured: with 300 and 400 cells the default cube falls and breaks
# within 30 frames in 2.6 and 3.4 s of processor time (mean of three seeds). Most of it is spent on contacts of cells.
ROUGH_DETAIL = 300
# Option of a rough job, which its report names.
ROUGH = "rough"
# Columns of a pose: position (3, m) and unit quaternion w, x, y, z (4) of a body's centre of mass.
POSE_WIDTH = 7


@dataclass(frozen=True)
class AuthoredImpact(ReadOnlyArrays):
    """An impact that the artist placed; it needs no collision.

    Attributes:
        frame: Frame of the impact.
        point: (3,) m, in the world at that frame.
        direction: (3,) direction of the force, in the world at that frame; any length.
        strength: Load factor: peak load over the critical load at that point.
        radius: m, radius of the contact patch; 0 derives it from the cell size.
    """

    frame: int
    point: np.ndarray
    direction: np.ndarray
    strength: float
    radius: float = 0.0


@dataclass(frozen=True)
class Body(ReadOnlyArrays):
    """An object to break.

    Attributes:
        name: Name of the object, for messages.
        surface: Surface in rest space, m. Rest space is the world on the first frame.
        material: Material of the whole body.
        settings: How the body breaks.
        track: (T, 7) pose of the centre of mass on each frame, for a kinematic body; T = 1 for a static one; ``None``
            for a dynamic one. Islands have the track of their object. Gravity and impacts move the body only after it
            breaks or its track ends. A track of two frames or more that ends before the run leaves the body dynamic,
            with its last velocity. With pins, only the pinned part follows the track.
        velocity: (3,) m/s on the first frame, for a dynamic body.
        angular_velocity: (3,) rad/s on the first frame, for a dynamic body.
        impacts: Impacts that the artist placed.
        stiffness_track: (T,) factor of a deformable body's stiffness on each frame; empty for 1.
        thin: Middle surface or line and thickness of a rope, a sheet or a shell, whose outside is ``surface``; ``None``
            for a solid.
        island_share: Share of the object's volume, if the body is one of its islands; else ``None``. The object then
            appears as fragments from the first frame.
        strengthened: Factor on all impacts on the whole body, beside its violence.
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
    island_share: float | None = None
    strengthened: float = 1.0

    def violence(self, depth: int) -> float:
        """Return the load factor of impacts on the body, or on a fragment of it.

        Args:
            depth: Number of breaks so far; 0 for the whole body.
        """
        return self.settings.cracks.violence * (1.0 if depth else self.strengthened)


@dataclass(frozen=True)
class Glue:
    """Connection of two deformable bodies where they are close (Norton et al. 1991; Sweeney et al. 1991, section 5.3).

    Attributes:
        first: Row of a body in ``Job.bodies``.
        second: Row of the other body.
        distance: m, largest distance between two nodes that are glued.
        kind: ``nodes`` (merges each pair of nodes) or ``bonds`` (adds a bond between them).
        strength: Breaking threshold of the connection over that of the weaker body.
    """

    first: int
    second: int
    distance: float
    kind: str = "bonds"
    strength: float = 1.0


@dataclass(frozen=True)
class Bond:
    """A joint of two bodies over the area in which they face each other: mortar, glue, nails, a weld.

    Attributes:
        first: Row of a body in ``Job.bodies``.
        second: Row of the other body.
        material: Strength, toughness, stiffness and scatter of the joint.
        distance: m, largest gap that the joint fills.
        thickness: m, thickness of the joint, which gives its stiffness; 0 for the gap between the bodies.
    """

    first: int
    second: int
    material: Material
    distance: float
    thickness: float = 0.0


@dataclass(frozen=True)
class Collider(ReadOnlyArrays):
    """An unbreakable object: a floor, a wall, a projectile.

    Attributes:
        name: Name of the object.
        surface: Surface in rest space (the world on the first frame), m.
        shape: ``mesh``, ``hull``, ``box`` or ``sphere`` (fitted to the surface's points).
        mass: kg, for a dynamic projectile; 0 for a static or kinematic collider.
        friction: Coulomb coefficient.
        restitution: Rebound speed over approach speed, 0 to 1.
        track: (T, 7) pose of the mean of the surface's points on each frame, for a kinematic collider; else ``None``. A
            projectile with a track becomes dynamic at its end, with its last velocity.
        velocity: (3,) m/s on the first frame, for a dynamic projectile.
        angular_velocity: (3,) rad/s on the first frame, for a dynamic projectile.
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
class Job(ReadOnlyArrays):
    """A scene to simulate.

    Attributes:
        bodies: Objects to break.
        colliders: Unbreakable objects.
        frame_start: First frame.
        frame_end: Last frame, inclusive.
        frame_rate: Frames per second.
        substeps: Steps of the rigid world per frame.
        gravity: (3,) m/s2.
        gravity_track: (T, 3) m/s2 on each frame, for deformable bodies; empty for constant gravity.
        winds: Winds on deformable bodies.
        glues: Connections of deformable bodies.
        checkpoint_interval: Frames between two checkpoints of deformable bodies; 0 for no checkpoints.
        continue_from: Frame from which deformable bodies continue, with the present settings: from its checkpoint, or
            the last one before it. ``None`` starts at the first frame.
        break_anyway: If no impact breaks a rigid body, make all impacts stronger until one does.
        options: Text that the run copies to its report, by name. The simulation does not read it.
        bonds: Joints of bodies. Rigid bodies that they connect are one body until it breaks.
        blasts: Explosions that load the rigid bodies.
        pressures: Pressures in hollow rigid bodies.
        grips: Hands and clamps that hold parts of bodies and move them.
        sounds: Tones that make rigid bodies resonate.
        releases: Volumes that let held fragments go.
        freezes: Volumes that stop moving fragments of rigid bodies and hold them.
        thermal_shocks: Hot and cold fluids that touch rigid bodies.
        log_events: Whether the recording has the events of rigid bodies. They change nothing else in it. Frames of 100
            and 500 falling fragments then take 1.2 and 2.3 times as long.
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
    break_anyway: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    bonds: tuple[Bond, ...] = ()
    blasts: tuple[Blast, ...] = ()
    pressures: tuple[InternalPressure, ...] = ()
    grips: tuple[Grip, ...] = ()
    sounds: tuple[Sound, ...] = ()
    releases: tuple[MovingVolume, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    thermal_shocks: tuple[ThermalShock, ...] = ()
    log_events: bool = False

    @cached_property
    def bonded_rows(self) -> frozenset[int]:
        """Rows of the rigid bodies that have a bond with another one: with it they are one body."""
        pairs = [(bond.first, bond.second) for bond in self.bonds]
        return frozenset(row for pair in pairs for row in pair if not any(map(self.is_deformable, pair)))

    def is_deformable(self, row: int) -> bool:
        """Return whether the body of a row is deformable."""
        return self.bodies[row].settings.motion.deforms

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing moves: the job has a single frame."""
        return self.frame_end == self.frame_start


def check_loads(job: Job) -> None:
    """Refuse a job with a body that nothing can break.

    Raises:
        SceneError: There is nothing to break, or nothing can hit a body.
    """
    if not job.bodies:
        raise SceneError("there is nothing to break; select a mesh object")
    loads = job.colliders, job.blasts, job.pressures, job.grips, job.sounds, job.thermal_shocks
    is_loaded = any(loads) or len(job.bodies) > 1
    for body in job.bodies:
        deformable = body.settings.motion.deforms or body.thin is not None
        if not (is_loaded or deformable or body.impacts or body.settings.motion.own_weight):
            raise SceneError(
                f"nothing can hit '{body.name}'; add a floor or a projectile (an object with a rigid body), "
                "an impact, a blast, a pressure, a thermal shock, grips or a sound"
            )


def coarse(job: Job, most_cells: int | None = None) -> Job:
    """Return a job with at most ``most_cells`` cells in each body; ``None`` stands for ``LOW_DETAIL``."""
    most = LOW_DETAIL if most_cells is None else most_cells
    return replace(
        job,
        bodies=tuple(
            replace(body, settings=body.settings.changed(cell_count=min(body.settings.filling.cell_count, most)))
            for body in job.bodies
        ),
    )


def rough(job: Job) -> Job:
    """Return a job that shows the motion in a few seconds: few cells, half of the steps, and no second breaks.

    Deformable bodies start at the first frame, because their checkpoints have another number of cells. The option
    ``ROUGH`` names the largest number of cells.
    """
    job = coarse(job, ROUGH_DETAIL)
    bodies = tuple(replace(body, settings=body.settings.changed(break_depth=1)) for body in job.bodies)
    substeps = max(1, job.substeps // 2)
    options = {**job.options, ROUGH: str(ROUGH_DETAIL)}
    return replace(job, bodies=bodies, substeps=substeps, checkpoint_interval=0, continue_from=None, options=options)
