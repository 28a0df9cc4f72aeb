"""Everything that one run needs; the same job gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .material import Material
from .places import Alternation, CleavingPlane, GrainDirection, PaintedField, Region
from .surface import Surface
from .thin import Thin
from .wind import Wind

# Rows of a pose: position (3) and unit quaternion w, x, y, z (4) of a body's centre of mass.
POSE_WIDTH = 7


@dataclass(frozen=True)
class Settings:
    """How one object is broken: what the artist set, apart from the material.

    Attributes:
        method: A name in ``method.METHODS``.
        cell_count: About how many tetrahedra the solid is divided into.
        seed: Of every random choice.
        violence: Scales the load of every impact; 1 is the physics as computed.
        piece_count: Pieces wanted from the first break (dust apart), 0 to leave that to the violence.
        dynamics: ``rigid`` (it moves rigidly until a blow breaks it) or ``deformable`` (it bends, sways and breaks for
            the whole shot, as a lattice or as finite elements).
        softening: What a deformable body's stiffness is divided by, 1 to 1e6; a crack still costs the same energy. The
            stiffer it is the more steps a second takes.
        threshold: Stretch at which a deformable body's bonds break over that of its material, 0.01 to 100.
        pinned: Where a body is fixed in space, or goes along with its track (weights over one half), or ``None``. A
            rigid one is until it breaks, and then those of its pieces are that keep such a place.
        creep: Plastic flow of a deformable body, 1/s: rest lengths follow what is strained beyond the yield
            strain at this rate; 0 for none.
        yield_share: Strain at which it begins to flow over that at which it breaks, 0 to 1.
        self_collision: Parts of a deformable body that hang together keep each other out, as different pieces do.
        bonds: ``full`` (bonds carry force and moment) or ``point`` (the paper's point masses and distance constraints).
        lattice: Cells of a lattice: ``tetrahedra`` on points of their own, or the paper's ``cubes``.
        loading: ``ramp`` (levels of load) or ``events`` (from one failing bond to the next; exact, more solves).
        load_steps: Steps of the impact schedule, with point bonds.
        impact_schedule: Load over time: (share of the duration 0..1, load 0 and up), rising in time from 0 to 1, any
            scale; the blow's impulse does not depend on it. Empty for the paper's, up and down again.
        crack_function: How a break weakens the faces beside it: ``lobe``, or the paper's ``none``, ``moderate``,
            ``moderate_as_printed`` and ``dramatic``.
        crack_growth: Amount of the lobe, 0 to 1 (a crack's continuation keeps all or nothing of its strength).
        crack_sharpness: Exponent of the lobe, 0.5 to 32: the higher, the straighter cracks run.
        noise: Relative amplitude of the noise in strength, 0 to 1.
        noise_kind: ``smooth`` (Perlin's noise), ``layered`` (octaves of it), ``turbulence`` (of their magnitudes: weak
            along creases) or ``thresholded`` (weak where turbulence is below the threshold, as it is elsewhere).
        noise_size: Wavelength of that noise over the object's diagonal, above 0.
        noise_threshold: Over the turbulence's mean, 0 to 3.
        area_exponent, volume_exponent: Strength goes with these powers of the shared area and of the cells' volume,
            over their means, -2 to 2; beside what point bonds, which bear forces, have of themselves.
        grain: (3,) direction along which a grained material is strong, rest space.
        grains: Which way the grain runs at places, in between by their distance; empty where it runs along ``grain``.
        planes: Along which it comes apart.
        regions: Where it is stronger or weaker, heavier or lighter.
        alternations: Strength that rises and falls along an axis.
        painted_strength: Painted on the surface, or ``None``.
        tempering: Pa, 0 to 5e8, compression of the surface that the core's tension holds, with full bonds and
            finite elements.
        separation_force: N, with finite elements: what the separation tensor's greatest eigenvalue may be at a node, as
            O'Brien and Hodgins print it; 0 for the material's strength and toughness. Finer cells are stronger.
        contact: What presses where finite elements meet, across cracks and between bodies: ``volume`` (as much as
            elements overlap) or ``node`` (as deep as nodes are in elements).
        density_noise: Relative amplitude of noise in density, 0 to 1; it moves mass about within the object.
        painted_density: Painted on the surface, or ``None``; it moves mass about too.
        interior_points: ``blue_noise`` (irregular, and even) or ``uniform`` (independent of one another: uneven cells).
        painted_fineness: How many times smaller cells are where it is painted on the surface, or ``None``.
        wall_layers: Cells through walls that are thinner than cells are wide, 1 to 3; 0 for what suits the method.
        impact_fineness: How many times smaller cells are where the body is struck, 1 to 4.
        impact_reach: How far around that, over the body's diagonal, 0.01 to 1.
        dust: ``merge`` into the neighbour with the largest shared area, ``drop``, or ``debris``: fly on as grains.
        dust_volume: A fragment below this share of the object's volume is dust.
        velocity_fit: Of fragments: ``momentum`` (what their cells were given) or ``centroids`` (the paper's least
            squares through three of their cells).
        break_depth: How many times over fragments may break again; 1 breaks the object only.
        relief: What crack faces are like: ``smooth``, ``conchoidal`` (glass, flint), ``granular`` (stone, clay),
            ``stony`` (concrete) or ``splintered`` (wood, along its grain).
        roughness: Amplitude of the crack faces' relief over a cell's size, 0 to 1.
        relief_size: Size of its bumps over what the kind has of its own, 0.1 to 10.
        fractal_depth: How often crack faces are divided for it, 0 to 5: each time into four.
        fractal_amplitude: How far the middle of a divided edge moves, over the edge's length, 0 to 0.5.
        wall_smoothing: Rounds of smoothing that take the jags of the cells, and the stairs of cubes, off the cracks.
        chips: Share of the cells on the edges of a crack that come off as fragments of their own, 0 for none.
        face_budget: Triangles of all cracks of a break before they are cut out, about, at most.
        islands: What an object of several parts is: ``join`` (one body, in which parts that overlap become one) or
            ``separate`` (a body a part, which breaks and falls by itself, unglued).
        repair: Repair a surface that is open, without thickness or through itself; else it is refused.
        wall_thickness: m, of the wall that a repair gives to open parts; 0 caps their holes, and gives only sheets one.
    """

    method: str = "network"
    cell_count: int = 6000
    seed: int = 0
    violence: float = 1.0
    piece_count: int = 0
    dynamics: str = "rigid"
    softening: float = 1000.0
    threshold: float = 1.0
    pinned: PaintedField | None = None
    creep: float = 0.0
    yield_share: float = 0.3
    self_collision: bool = False
    bonds: str = "full"
    lattice: str = "tetrahedra"
    loading: str = "ramp"
    load_steps: int = 20
    impact_schedule: tuple[tuple[float, float], ...] = ()
    crack_function: str = "lobe"
    crack_growth: float = 0.7
    crack_sharpness: float = 4.0
    noise: float = 0.25
    noise_kind: str = "layered"
    noise_size: float = 0.15
    noise_threshold: float = 0.5
    area_exponent: float = 0.0
    volume_exponent: float = 0.0
    grain: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    grains: tuple[GrainDirection, ...] = ()
    planes: tuple[CleavingPlane, ...] = ()
    regions: tuple[Region, ...] = ()
    alternations: tuple[Alternation, ...] = ()
    painted_strength: PaintedField | None = None
    tempering: float = 0.0
    separation_force: float = 0.0
    contact: str = "volume"
    density_noise: float = 0.0
    painted_density: PaintedField | None = None
    interior_points: str = "blue_noise"
    painted_fineness: PaintedField | None = None
    wall_layers: int = 0
    impact_fineness: float = 1.0
    impact_reach: float = 0.15
    dust: str = "merge"
    dust_volume: float = 0.0005
    velocity_fit: str = "momentum"
    break_depth: int = 2
    relief: str = "smooth"
    roughness: float = 0.35
    relief_size: float = 1.0
    fractal_depth: int = 0
    fractal_amplitude: float = 0.12
    wall_smoothing: int = 5
    chips: float = 0.0
    face_budget: int = 40_000
    islands: str = "join"
    repair: bool = True
    wall_thickness: float = 0.0


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
