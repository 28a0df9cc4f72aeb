"""Random bodies of a draw: material, settings, placed fields, motion and impacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from fracture_addon.core.data.job import AuthoredImpact, Body, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.placed_fields import (
    Alternation,
    CleavingPlane,
    GrainDirection,
    PaintedField,
    Region,
    WeakSheet,
)
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.numerics.rotations import quaternion
from tests import shapes
from tests.fuzz import meshes
from tests.fuzz.ranges import CHOICES, FACTOR, IMPACT_STRENGTH, NUMBERS, PRIOR_STRESS

Random = np.random.Generator

# Share of settings that differ from their default.
CHANGED = 0.25
# Share of bodies with each kind of placed, painted or keyframed input, and share of deformable bodies that are thin.
PLACED, THIN = 0.15, 0.25
# Gap between two bodies above one another, over the sum of their heights; negative if they intersect.
GAP = (-0.25, 0.5)
# Materials of the presets, and soft ones.
MATERIALS = (
    PORCELAIN,
    Material("Glass", 2500.0, 70e9, 0.22, 45e6, 900e6, 0.75e6),
    Material("Concrete", 2400.0, 33e9, 0.2, 2.9e6, 30e6, 1e6, strength_variation=0.2),
    Material("Pine", 500.0, 10e9, 0.35, 4e6, 40e6, 0.5e6, grain_strength_ratio=20.0),
    Material("Aluminium", 2700.0, 69e9, 0.33, 310e6, 310e6, 29e6, yield_strength=276e6, hardening=5e8),
    Material("Chocolate", 1300.0, 2e9, 0.35, 3e6, 10e6, 0.1e6),
    Material("Rubber", 1000.0, 1e7, 0.45, 1e6, 1e7, 1e5, 0.0, dilation_damping=200.0, rigidity_damping=100.0),
    Material("Clay", 1800.0, 1e6, 0.4, 2e4, 1e6, 2e3, yield_strength=5e3, hardening=1e4),
)


def drawn(random: Random, name: str, method: str, dynamics: str, cell_count: int, frames: Sequence[int]) -> Body:
    """Return a random body at the origin.

    Args:
        random: Source of all random numbers.
        name: Name of the body.
        method: Name of the method that breaks it.
        dynamics: ``rigid`` or ``deformable``.
        cell_count: Number of cells to ask for.
        frames: Frames of the job.
    """
    settings = _settings(random).changed(method=method, dynamics=dynamics, cell_count=cell_count)
    chosen = material(random)
    made = None
    if method == "lattice" and dynamics == "deformable" and random.random() < THIN:
        surface, made = meshes.thin(random, cell_count)
    else:
        surface = meshes.solid(random)
    settings = _with_places(random, settings, surface)
    return Body(
        name,
        surface,
        chosen,
        settings,
        track(random, surface, frames) if random.random() < PLACED else None,
        velocity=speed(random, 30.0) if random.random() < PLACED else np.zeros(3),
        angular_velocity=speed(random, 50.0) if random.random() < PLACED else np.zeros(3),
        impacts=tuple(_impact(random, surface, frames) for _ in range(_few(random, 2 * PLACED))),
        stiffness_track=random.uniform(1e-4, 1.0, len(frames)) if random.random() < PLACED else np.zeros(0),
        thin=made,
    )


def stacked(random: Random, body: Body, below: Body) -> Body:
    """Return the body above another one, with a small gap or intersecting it."""
    top, bottom = below.surface.points[:, 2].max(), body.surface.points[:, 2].min()
    height = np.ptp(below.surface.points[:, 2]) + np.ptp(body.surface.points[:, 2])
    return moved(body, np.array([0.0, 0.0, top - bottom + random.uniform(*GAP) * height]))


def moved(body: Body, offset: np.ndarray) -> Body:
    """Return the body, displaced together with its fields, impacts and track."""

    def field(painted: PaintedField | None) -> PaintedField | None:
        return painted and replace(painted, points=painted.points + offset)

    settings, strength, fineness = body.settings, body.settings.strength, body.settings.filling.fineness_regions
    settings = settings.changed(
        pinned=field(settings.motion.pinned),
        painted_dust=field(settings.pieces.painted_dust),
        painted_strength=field(strength.painted_strength),
        painted_second_strength=field(strength.painted_second_strength),
        painted_density=field(strength.painted_density),
        painted_stress=field(strength.painted_stress),
        painted_fineness=field(settings.filling.painted_fineness),
        grains=tuple(replace(item, point=item.point + offset) for item in strength.grains),
        planes=tuple(replace(item, point=item.point + offset) for item in strength.planes),
        sheets=tuple(replace(item, points=item.points + offset) for item in strength.sheets),
        regions=tuple(replace(item, center=item.center + offset) for item in strength.regions),
        fineness_regions=tuple(replace(item, center=item.center + offset) for item in fineness),
    )
    return replace(
        body,
        surface=shapes.moved(body.surface, offset=offset),
        settings=settings,
        track=None if body.track is None else body.track + np.append(offset, np.zeros(4)),
        impacts=tuple(replace(impact, point=impact.point + offset) for impact in body.impacts),
        thin=body.thin and replace(body.thin, points=body.thin.points + offset),
    )


def struck(random: Random, body: Body, frames: Sequence[int]) -> Body:
    """Return the body with one impact."""
    return replace(body, impacts=(_impact(random, body.surface, frames),))


def track(random: Random, surface: Surface, frames: Sequence[int]) -> np.ndarray:
    """Return poses (T, 7) of a body or a collider: at rest, or moving and turning for all or half of the frames."""
    count = int(random.choice([1, max(len(frames) // 2, 2), len(frames)]))
    axis = random.normal(size=3)
    angles = random.uniform(0.0, 0.2) * np.arange(count)
    matrices = [_turn(axis, angle) for angle in angles]
    way = np.arange(count)[:, None] * random.normal(0.0, 0.1 * surface.diagonal, 3)
    return np.concatenate([surface.points.mean(axis=0) + way, [quaternion(matrix) for matrix in matrices]], axis=1)


def material(random: Random) -> Material:
    """Return one of the materials."""
    return MATERIALS[random.integers(len(MATERIALS))]


def speed(random: Random, most: float) -> np.ndarray:
    """Return a vector (3,) of random direction, with a length of up to ``most``."""
    vector = random.normal(size=3)
    return random.uniform(0.0, most) * vector / np.linalg.norm(vector)


def _settings(random: Random) -> Settings:
    values: dict = {"seed": int(random.integers(1000))}
    stream = int(random.integers(2**32))
    # Each setting has random numbers of its own, so that a new setting does not change the others.
    for name, values_of in (NUMBERS | CHOICES).items():
        own = np.random.default_rng([stream, crc32(name.encode())])
        if own.random() < CHANGED:
            values[name] = values_of.draw(own)
    if random.random() < CHANGED:
        values["impact_schedule"] = ((0.0, 0.0), (random.uniform(0.1, 0.9), 1.0), (1.0, random.uniform(0.0, 1.0)))
    return Settings.of(**values, grain=random.normal(size=3))


def _with_places(random: Random, settings: Settings, surface: Surface) -> Settings:
    """Add placed and painted fields to the settings."""
    points = surface.points

    def place() -> np.ndarray:
        return points[random.integers(len(points))]

    def painted() -> PaintedField | None:
        return _painted(random, surface) if random.random() < PLACED / 2.0 else None

    size = surface.diagonal
    regions = tuple(
        Region(place(), random.uniform(0.05, 1.0) * size, *(FACTOR.draw(random) for _ in range(3)))
        for _ in range(_few(random, PLACED))
    )
    # Prior stress has random numbers of its own.
    own = np.random.default_rng([len(regions), crc32(surface.points.tobytes())])
    stressed = tuple(
        replace(region, stress=PRIOR_STRESS.draw(own) * own.choice([-1.0, 1.0])) if own.random() < 0.5 else region
        for region in regions
    )
    stress = _painted(own, surface) if own.random() < PLACED else None
    triangles = [place() + size * own.normal(size=(3, 3)) for _ in range(_few(own, PLACED))]
    widths = [float(own.choice([0.0, 0.1 * size])) for _ in triangles]
    dust = _painted(own, surface) if own.random() < PLACED else None
    return settings.changed(
        grains=tuple(GrainDirection(place(), random.normal(size=3)) for _ in range(_few(random, PLACED))),
        planes=tuple(
            CleavingPlane(place(), random.normal(size=3), FACTOR.draw(random), random.choice([0.0, 0.1 * size]))
            for _ in range(_few(random, PLACED))
        ),
        sheets=tuple(
            WeakSheet(triangle, [[0, 1, 2]], FACTOR.draw(own), width)
            for triangle, width in zip(triangles, widths, strict=True)
        ),
        regions=stressed,
        fineness_regions=regions,
        alternations=tuple(
            Alternation(random.normal(size=3), random.uniform(0.02, 1.0) * size, random.uniform(1e-3, 1.0))
            for _ in range(_few(random, PLACED))
        ),
        pinned=painted(),
        painted_strength=painted(),
        painted_density=painted(),
        painted_stress=stress,
        painted_dust=dust,
        painted_fineness=painted(),
    )


def _painted(random: Random, surface: Surface) -> PaintedField:
    """Return a field that rises from 0 to 1 along a random axis."""
    weights = surface.points @ random.normal(size=3)
    weights = (weights - weights.min()) / max(np.ptp(weights), 1e-300)
    return PaintedField(surface.points, surface.faces, weights, FACTOR.draw(random))


def _impact(random: Random, surface: Surface, frames: Sequence[int]) -> AuthoredImpact:
    radius = random.choice([0.0, 0.02, 0.2]) * surface.diagonal
    point = surface.points[random.integers(len(surface.points))]
    return AuthoredImpact(
        int(random.choice(frames)), point, random.normal(size=3), IMPACT_STRENGTH.draw(random), radius
    )


def _few(random: Random, share: float) -> int:
    """Return one to three with a probability of ``share``, else zero."""
    return int(random.integers(1, 4)) if random.random() < share else 0


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return a rotation (3, 3) by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    matrix = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * matrix + (1.0 - np.cos(angle)) * matrix @ matrix
