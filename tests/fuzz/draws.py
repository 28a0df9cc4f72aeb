"""A random job (a draw) from a seed and a number."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from fracture_addon.core.data.blast import Blast
from fracture_addon.core.data.grip import Grip
from fracture_addon.core.data.job import Body, Bond, Collider, Glue, Job
from fracture_addon.core.data.moving_volume import Freeze, MovingVolume
from fracture_addon.core.data.pressure import InternalPressure
from fracture_addon.core.data.sound import Sound
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.data.thermal_shock import ThermalShock
from fracture_addon.core.data.wind import Wind
from tests import shapes
from tests.fuzz import bodies as body_draws
from tests.fuzz.ranges import CHOICES, SUBSTEPS

Random = np.random.Generator

FEWEST_CELLS = 100
FEWEST_FRAMES, MOST_FRAMES = 6, 30
# Share of draws with a floor, with a projectile or a moving collider, with wind, with glue, with a blast, with gas in a
# body, of several rigid bodies that are joined, with grips, with a sound, with hot or
# cold fluid, with a release and with a freeze.
FLOORED, SHOT, WINDY, GLUED, BLASTED, INFLATED, JOINED, GRIPPED, SUNG_AT = 0.75, 0.35, 0.1, 0.3, 0.1, 0.1, 0.4, 0.1, 0.1
QUENCHED, RELEASED, FROZEN = 0.1, 0.1, 0.1
GRAVITY = np.array([0.0, 0.0, -9.81])


def draw(seed: int, number: int, most_cells: int) -> Job:
    """Return the job of a draw. The same arguments give the same job.

    Args:
        seed: Seed of the series.
        number: Number of the draw in the series.
        most_cells: Largest number of cells of all bodies together.
    """
    random = np.random.default_rng([seed, number])
    start = int(random.choice([1, -5, 1001]))
    frames = range(start, start + int(random.integers(FEWEST_FRAMES, MOST_FRAMES + 1)))
    bodies = _bodies(random, frames, most_cells)
    colliders = _colliders(random, bodies, frames)
    if not colliders and len(bodies) == 1 and not bodies[0].impacts:
        bodies = [body_draws.struck(random, bodies[0], frames)]

    def own(name: str) -> Random:
        # Inputs with random numbers of their own do not change the others.
        return np.random.default_rng([seed, number, crc32(name.encode())])

    return Job(
        tuple(bodies),
        tuple(colliders),
        frame_start=frames[0],
        frame_end=frames[-1],
        frame_rate=float(random.choice([24.0, 24.0, 60.0, 12.0, 240.0])),
        substeps=int(SUBSTEPS.draw(random)) if random.random() < body_draws.CHANGED else 10,
        gravity=GRAVITY * random.choice([1.0, 1.0, 1.0, 0.0, -0.2, 10.0]),
        gravity_track=random.normal(0.0, 9.81, (len(frames), 3)) if random.random() < 0.05 else np.zeros((0, 3)),
        winds=_winds(random),
        glues=_glues(random, bodies),
        break_anyway=bool(own("break_anyway").random() < 0.1),
        bonds=_bonds(own("bonds"), bodies),
        blasts=_blasts(own("blasts"), bodies, frames),
        pressures=_pressures(own("pressures"), bodies, frames),
        grips=_grips(own("grips"), bodies, frames),
        sounds=_sounds(own("sounds"), bodies, frames),
        thermal_shocks=_thermal_shocks(own("thermal shocks"), bodies, frames),
        releases=_volumes(own("releases"), bodies, frames, RELEASED),
        freezes=_freezes(own("freezes"), bodies, frames),
        log_events=bool(own("log_events").random() < 0.2),
    )


def _bodies(random: Random, frames: Sequence[int], most_cells: int) -> list[Body]:
    """Return one to three bodies above one another, with one method."""
    count = int(random.choice([1, 2, 3], p=[0.65, 0.25, 0.1]))
    method = CHOICES["method"].draw(random)
    deforms = method != "network" and random.random() < 0.45
    most = max(most_cells // count, FEWEST_CELLS)
    result: list[Body] = []
    for row in range(count):
        cell_count = int(np.exp(random.uniform(np.log(FEWEST_CELLS), np.log(most))))
        dynamics = "deformable" if deforms and random.random() < 0.9 else "rigid"
        body = body_draws.drawn(random, f"body {row}", method, dynamics, cell_count, frames)
        result.append(body_draws.stacked(random, body, result[-1]) if result else body)
    return result


def _colliders(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> list[Collider]:
    points = np.concatenate([body.surface.points for body in bodies])
    size = max(body.surface.diagonal for body in bodies)
    result = []
    if random.random() < FLOORED:
        result.append(_floor(random, points[:, 2].min(), size))
    if random.random() < SHOT:
        result.append(_mover(random, points, size, frames))
    return result


def _floor(random: Random, lowest: float, size: float) -> Collider:
    """Return a plane or a slab below all bodies, or slightly inside the lowest one."""
    height = lowest - size * random.choice([0.0, -0.02, random.uniform(0.0, 10.0)])
    wide = 20.0 * size
    plane = Surface([[-wide, -wide, 0], [wide, -wide, 0], [wide, wide, 0], [-wide, wide, 0]], [[0, 1, 2], [0, 2, 3]])
    slab = shapes.box((2.0 * wide, 2.0 * wide, size), (0.0, 0.0, -0.5 * size))
    surface, shape = [(plane, "mesh"), (slab, "mesh"), (slab, "box"), (slab, "hull")][random.integers(4)]
    rub, bounce = random.uniform(0.0, 1.0, 2)
    return Collider("floor", shapes.moved(surface, offset=(0.0, 0.0, height)), shape, friction=rub, restitution=bounce)


def _mover(random: Random, points: np.ndarray, size: float, frames: Sequence[int]) -> Collider:
    """Return a projectile that flies at the bodies, or a collider with a track."""
    away = body_draws.speed(random, 1.0)
    away = away / np.linalg.norm(away)
    radius = size * random.uniform(0.02, 0.5)
    surface = shapes.moved(shapes.icosphere(radius, 1), offset=points.mean(axis=0) + (size + radius) * away)
    shape = str(random.choice(["sphere", "hull", "mesh", "box"]))
    if random.random() < 0.3:
        return Collider("mover", surface, shape, track=body_draws.track(random, surface, frames))
    mass = float(np.exp(random.uniform(np.log(0.01), np.log(1e3))))
    return Collider("projectile", surface, shape, mass=mass, velocity=-away * random.uniform(1.0, 100.0))


def _winds(random: Random) -> tuple[Wind, ...]:
    if random.random() >= WINDY:
        return ()
    kind = str(random.choice(["uniform", "vortex", "turbulence"]))
    direction = body_draws.speed(random, 1.0)
    direction /= np.linalg.norm(direction)
    return (Wind(kind, np.zeros(3), direction, random.uniform(0.0, 60.0), random.uniform(0.1, 2.0), random.uniform()),)


def _blasts(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[Blast, ...]:
    """Return a blast near, among or inside the bodies, or none."""
    if random.random() >= BLASTED:
        return ()
    points = np.concatenate([body.surface.points for body in bodies])
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    point = points.mean(axis=0) + body_draws.speed(random, 1.5 * size)
    scaled_distance = np.exp(random.uniform(np.log(0.1), np.log(10.0)))
    return (Blast(int(random.choice(frames)), point, float((size / scaled_distance) ** 3)),)


def _glues(random: Random, bodies: Sequence[Body]) -> tuple[Glue, ...]:
    """Return glue between two deformable bodies, or none."""
    soft = [row for row, body in enumerate(bodies) if body.settings.motion.dynamics == "deformable"]
    if len(soft) < 2 or random.random() >= GLUED:
        return ()
    distance = 0.1 * bodies[soft[0]].surface.diagonal * random.uniform()
    kind = str(random.choice(["nodes", "bonds"]))
    return (Glue(soft[0], soft[1], distance, kind, random.uniform(0.0, 5.0)),)


def _bonds(random: Random, bodies: Sequence[Body]) -> tuple[Bond, ...]:
    """Return bonds between rigid bodies that follow one another, or none."""
    rigid = [row for row, body in enumerate(bodies) if body.settings.motion.dynamics == "rigid"]
    if len(rigid) < 2 or random.random() >= JOINED:
        return ()
    size = max(body.surface.diagonal for body in bodies)
    thickness = random.choice([0.0, 0.01 * size])
    return tuple(
        Bond(first, second, body_draws.material(random), random.uniform(0.0, 0.5) * size, thickness)
        for first, second in itertools.pairwise(rigid)
    )


def _pressures(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[InternalPressure, ...]:
    """Return gas at the centre of a body, hollow or not, or none."""
    if random.random() >= INFLATED:
        return ()
    surface = bodies[random.integers(len(bodies))].surface
    pressure = float(np.exp(random.uniform(np.log(1e3), np.log(1e8))))
    factor = float(random.choice([0.0, random.uniform(0.5, 20.0)]))
    return (InternalPressure("gas", int(random.choice(frames)), surface.points.mean(axis=0), pressure, factor),)


def _thermal_shocks(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[ThermalShock, ...]:
    """Return hot or cold fluid somewhere around a body, or none."""
    if random.random() >= QUENCHED:
        return ()
    surface = bodies[random.integers(len(bodies))].surface
    matrix = np.diag([*(surface.diagonal * random.uniform(0.1, 1.0, 3)), 1.0])
    matrix[:3, 3] = surface.points[random.integers(len(surface.points))]
    transfer = float(np.exp(random.uniform(np.log(10.0), np.log(1e5))))
    factor = float(random.choice([0.0, random.uniform(0.5, 9.0)]))
    frame, difference = int(random.choice(frames)), float(random.uniform(-500.0, 500.0))
    waits = bool(random.random() < 0.5)
    return (ThermalShock("fluid", frame, matrix, difference, transfer, factor, waits=waits),)


def _volumes(random: Random, bodies: Sequence[Body], frames: Sequence[int], chance: float) -> tuple[MovingVolume, ...]:
    """Return a sphere or a box that moves and grows near a body, or none."""
    if random.random() >= chance:
        return ()
    surface = bodies[random.integers(len(bodies))].surface
    start = surface.points[random.integers(len(surface.points))]
    matrices = np.tile(np.eye(4), (len(frames), 1, 1))
    steps = np.linspace(0.0, 1.0, len(frames))[:, None]
    matrices[:, :3, 3] = start + steps * surface.diagonal * random.normal(size=3)
    matrices[:, :3, :3] *= surface.diagonal * random.uniform(0.0, 0.5 + steps[..., None])
    return (MovingVolume("volume", matrices, shapes.box((2.0, 2.0, 2.0)) if random.random() < 0.5 else None),)


def _freezes(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[Freeze, ...]:
    """Return a volume that stops what it reaches for some frames, or none."""
    first, last = np.sort(random.choice(frames, 2))
    return tuple(Freeze(volume, int(first), int(last)) for volume in _volumes(random, bodies, frames, FROZEN))


def _grips(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[Grip, ...]:
    """Return one to three grips somewhere on a body, or none; some let go."""
    if random.random() >= GRIPPED:
        return ()
    surface, grips = bodies[random.integers(len(bodies))].surface, []
    for number in range(random.integers(1, 4)):
        steps = np.linspace(0.0, 1.0, len(frames))[:, None]
        place = surface.points[random.integers(len(surface.points))]
        shift, turn = body_draws.speed(random, 0.2 * surface.diagonal), random.normal(size=4)
        turns = np.array([1.0, 0.0, 0.0, 0.0]) + 0.2 * steps * turn
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        track = np.concatenate([place + steps * shift, turns], axis=1)[: random.integers(2, 2 * len(frames))]
        radius, stiffness = surface.diagonal * random.uniform(0.1, 0.6), float(np.exp(random.uniform(0.0, 20.0)))
        grips.append(
            Grip(f"hand {number}", radius, track, stiffness, float(random.choice([0.0, random.uniform(0.1, 9.0)])))
        )
    return tuple(grips)


def _sounds(random: Random, bodies: Sequence[Body], frames: Sequence[int]) -> tuple[Sound, ...]:
    """Return a tone near a body, or none."""
    if random.random() >= SUNG_AT:
        return ()
    surface = bodies[random.integers(len(bodies))].surface
    point = surface.points.mean(axis=0) + surface.diagonal * random.normal(size=3)
    first, last = np.sort(random.choice(frames, 2))
    frequency = float(random.choice([0.0, np.exp(random.uniform(0.0, 10.0))]))
    factor = float(random.choice([0.0, random.uniform(0.1, 9.0)]))
    return (Sound("voice", int(first), int(last), point, frequency, float(random.uniform(60.0, 194.0)), factor),)


def described(job: Job) -> str:
    """Describe a draw in one line."""
    parts = []
    for body in job.bodies:
        thin = f" {body.thin.kind}" if body.thin else ""
        parts.append(
            f"{body.settings.method} {body.settings.motion.dynamics}{thin} {body.settings.filling.cell_count} cells"
        )
    parts += [collider.name for collider in job.colliders]
    for name in ("bonds", "blasts", "pressures", "grips", "sounds", "thermal_shocks", "releases", "freezes"):
        parts += [f"{len(getattr(job, name))} {name}"] if getattr(job, name) else []
    impacts, frames = sum(len(body.impacts) for body in job.bodies), job.frame_end - job.frame_start + 1
    return f"{'; '.join(parts)}; {impacts} impacts; {frames} frames"
