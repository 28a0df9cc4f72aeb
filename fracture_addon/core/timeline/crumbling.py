"""Pieces of a recording that turn into dust on a frame. The rest of the recording stays.

The dust flies, bounces and comes to rest as that of a break (``dust_flight``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.job import Job
from ..data.recording import Debris, Recording
from ..data.surface import Surface, volume
from ..geometry.inside import is_inside
from ..numerics.random_streams import rng
from ..numerics.rotations import conjugate, matrices, multiply
from .dust import DustBurst
from .dust_flight import simulate_dust

# Exponent of the sizes: the number of grains larger than r goes with r^-D. Turcotte 1986, Fractals and fragmentation,
# gives 2.5 for most broken materials (2.1 to 3.5).
FRACTAL_DIMENSION = 2.5
# Largest over smallest size. Chosen by eye: with 3 the dust looks like gravel of one size, with 20 most grains are too
# small to be seen.
RANGE = 8.0


@dataclass(frozen=True)
class Crumbling(ReadOnlyArrays):
    """A piece that turns into dust.

    Attributes:
        body: Row of the job's bodies.
        surface: Its closed surface, relative to its centre of mass, m.
        poses: (2, 7) on two successive frames, from which its velocity follows.
        row: Frame on which it turns into dust, from the job's first frame.
        first: Whether that is the first of the two frames.
    """

    body: int
    surface: Surface
    poses: np.ndarray
    row: int
    first: bool = False


def crumbled(
    job: Job, recording: Recording, pieces: Sequence[Crumbling], count: int, scatter: float, seed: int
) -> tuple[Debris, ...]:
    """Return the dust that pieces turn into.

    Args:
        job: The job of the recording.
        recording: The recording, whose projectiles are in the way of the dust.
        pieces: The pieces.
        count: About how many grains each piece gives.
        scatter: m/s, root mean square of the random part of the grains' velocities.
        seed: Seed of places, sizes and velocities.

    Returns:
        Debris of each body that has any. The grains of a piece have its volume and its momentum.

    Notes:
        Own: grains at the points of a jittered lattice inside the piece move as the piece does, v + omega x r. Their
        sizes follow a power law (Turcotte 1986).

    Example:
        >>> from ..data.job import Body, Material, Settings
        >>> corners = [[-1, -1, -1], [3, -1, -1], [-1, 3, -1], [-1, -1, 3]]
        >>> piece = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> job = Job((Body("Rock", piece, Material("Stone"), Settings()),), frame_end=3)
        >>> still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1))
        >>> (dust,) = crumbled(job, Recording(1, ()), [Crumbling(0, piece, still, 1)], 50, 0.0, seed=1)
        >>> round(float((dust.sizes**3).sum()), 6) == round(volume(piece), 6)
        True
    """
    bursts = [_burst(job, piece, count, scatter, seed, number) for number, piece in enumerate(pieces)]
    tracks = {track.name: (track.center, track.poses) for track in recording.projectiles}
    free = {row: tracks[item.name] for row, item in enumerate(job.colliders) if item.name in tracks}
    return simulate_dust(job, bursts, free)


def _burst(job: Job, piece: Crumbling, count: int, scatter: float, seed: int, number: int) -> DustBurst:
    random = rng(seed, "crumbling", number)
    whole = abs(volume(piece.surface))
    points = _points(piece.surface, whole, count, random)
    # Sample the power law between 1 and RANGE by its inverse.
    share = random.random(len(points)) * (1.0 - RANGE**-FRACTAL_DIMENSION)
    volumes = (1.0 - share) ** (-3.0 / FRACTAL_DIMENSION)
    volumes *= whole / volumes.sum()
    pose = piece.poses[0 if piece.first else 1]
    arms = points @ matrices(pose[3:]).T
    turn = multiply(piece.poses[1, 3:], conjugate(piece.poses[0, 3:]))
    turn = turn if turn[0] >= 0.0 else -turn
    sine = float(np.linalg.norm(turn[1:]))
    angle = 2.0 * float(np.arctan2(sine, turn[0]))
    spin = turn[1:] * (angle / sine * job.frame_rate if sine else 0.0)
    velocity = (piece.poses[1, :3] - piece.poses[0, :3]) * job.frame_rate
    wild = random.normal(scale=scatter / np.sqrt(3.0), size=arms.shape)
    wild -= volumes @ wild / whole
    return DustBurst(
        piece.body,
        piece.row,
        pose[:3] + arms,
        velocity + np.cross(spin, arms) + wild,
        np.tile(spin, (len(arms), 1)),
        volumes,
    )


def _points(surface: Surface, whole: float, count: int, random: np.random.Generator) -> np.ndarray:
    """Return about ``count`` points (N, 3) inside a surface; at least one."""
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    spacing = np.cbrt(whole / count)
    sides = [np.arange(start + spacing * random.random(), end, spacing) for start, end in zip(low, high, strict=True)]
    lattice = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)
    lattice = lattice + spacing * random.uniform(-0.5, 0.5, lattice.shape)
    inside = lattice[is_inside(surface, lattice)]
    return inside if len(inside) else np.zeros((1, 3))
