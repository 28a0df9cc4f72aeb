"""Spring lattices: bonds and nodes a second, what collisions add, growth with size, and a solid struck.

The baseline of the kernels is what a triad over arrays of the same size, timed in the same run, would allow for the
bytes that they have to move: value over baseline is the share of the machine's bandwidth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numba import njit, prange

from benchmarks import Row, median_seconds
from fracture_addon.core import method
from fracture_addon.core.impact import Impact
from fracture_addon.core.job import Settings
from fracture_addon.core.lattice import collisions, dynamics, forces
from fracture_addon.core.lattice.dynamics import Surroundings
from fracture_addon.core.lattice.state import Model, State, model_of
from fracture_addon.core.material import PORCELAIN
from fracture_addon.core.method import RigidMotion
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes
from tests.blocks import block

SPACING, STEPS = 0.003, 20
# Of a bond: its second node, rest length, stiffness, damping and limit. Of a node in the forces: position, velocity
# and force; in a whole step also the force again, mass, and both written.
BOND_BYTES, NODE_BYTES, STEP_BYTES = 36, 96, 200
# Cells along an edge of the block for about 14, 100 and 700 thousand nodes.
SMALL, MIDDLE, LARGE = 23, 46, 88
FALL = Surroundings(gravity=np.array([0.0, 0.0, -9.81]))


def rows() -> Iterator[Row]:
    """Kernels at 100 thousand nodes, then growth, collisions, a soft solid for 20 ms, and a struck jar."""
    seconds = {}
    for cells in (SMALL, MIDDLE, LARGE):
        model, state = _shaken(cells)
        seconds[len(model.masses)] = median_seconds(lambda: _run(model, state)) / STEPS  # noqa: B023
        if cells == MIDDLE:
            yield from _kernels(model, state, seconds[len(model.masses)])
    (small, first), _, (large, last) = seconds.items()
    yield Row("lattice_exponent", large, math.log(last / first) / math.log(large / small), "1")
    yield from _collisions()
    model, state = _shaken(SMALL, PORCELAIN.young_modulus / 1000.0)
    step = dynamics.checked_step(model, None)
    count = math.ceil(0.020 / step)
    yield Row("lattice_20ms_soft", len(model.masses), median_seconds(lambda: _run(model, state, count), repeats=1), "s")
    yield from _strike()


def _kernels(model: Model, state: State, seconds: float) -> Iterator[Row]:
    bonds, nodes = model.lattice.bond_count, model.lattice.node_count
    springs = (state.rest_lengths, state.stiffness, state.damping, state.limits, model.partial)
    alone = median_seconds(
        lambda: forces.bond_forces(state.positions, state.velocities, model.runs, *springs), repeats=15
    )
    size = BOND_BYTES * bonds + NODE_BYTES * nodes
    bandwidth = _triad_bandwidth(size)
    yield Row("lattice_100k_bonds", nodes, bonds / alone, "bonds/s", bandwidth / size * bonds)
    size = BOND_BYTES * bonds + STEP_BYTES * nodes
    yield Row("lattice_100k_node_steps", nodes, nodes / seconds, "nodes/s", bandwidth / size * nodes)


def _collisions() -> Iterator[Row]:
    """A block cut into 64 pieces that rub on each other, against the same block whole."""
    model, whole = _shaken(MIDDLE)
    plain = median_seconds(lambda: _run(model, whole))
    _, state = _shaken(MIDDLE)
    part = np.floor(model.lattice.points / (np.ptp(model.lattice.points, axis=0) * 0.25001)).astype(int)
    first, second = model.lattice.bonds.T
    dynamics.fracture(model, state, np.flatnonzero((part[first] != part[second]).any(axis=1)))
    with_pairs = median_seconds(lambda: _run(model, state))
    rebuild = median_seconds(lambda: collisions.renew(model, state))
    nodes = len(model.masses)
    yield Row("lattice_100k_step_in_pieces", nodes, 1e3 * with_pairs / STEPS, "ms", 1e3 * plain / STEPS)
    yield Row("lattice_100k_pairs_renewed", nodes, 1e9 * rebuild / nodes, "ns/node")


def _strike() -> Iterator[Row]:
    surface = shapes.shipped("old_jar")
    settings = Settings(method="lattice")
    model = method.build(tetrahedralize(surface, settings.cell_count, 0), PORCELAIN, settings)
    points = surface.points
    place = [points[:, 0].max(), points[:, 1].mean(), points[:, 2].mean()]
    still, duration = RigidMotion(np.zeros(3), np.zeros(3)), 3e-4

    def blow(force: float) -> Impact:
        return Impact(place, [-1.0, 0.0, 0.0], 0.5 * force * duration, duration, 0.0)

    critical = method.critical_force(model, settings, blow(1.0))
    struck = [blow(5.0 * critical)]
    seconds = median_seconds(lambda: method.strike(model, settings, still, struck), repeats=3)
    result = method.strike(model, settings, still, struck)
    yield Row("lattice_strike_6k_cells", len(result.fragment_of_cell), seconds, "s")
    yield Row("lattice_strike_pieces", len(result.fragment_of_cell), float(len(result.velocity)), "pieces")
    yield Row("lattice_strike_dust", len(result.fragment_of_cell), result.dust_volume, "1")


def _shaken(cells: int, modulus: float = PORCELAIN.young_modulus) -> tuple[Model, State]:
    model = model_of(block((cells, cells, cells), SPACING), PORCELAIN.density, modulus)
    state = dynamics.initial_state(model)
    state.velocities += np.random.default_rng(0).normal(0.0, 0.1, state.velocities.shape)
    return model, state


def _run(model: Model, state: State, count: int = STEPS) -> None:
    dynamics.run(model, state, FALL, dynamics.checked_step(model, None), count)


def _triad_bandwidth(size: int) -> float:
    """Bytes a second of a = b + 2 c on three arrays of ``size`` bytes together, on all cores."""
    a, b, c = (np.ones(size // 24) for _ in range(3))
    return 24.0 * len(a) / median_seconds(lambda: _triad(a, b, c), repeats=15)


@njit(parallel=True)
def _triad(a, b, c):
    for row in prange(len(a)):
        a[row] = b[row] + 2.0 * c[row]
