"""Spring lattices: bonds and nodes per second, cost of collisions, growth with size, and an impact on a solid.

The baseline of a kernel is the rate at which a triad over arrays of the same size, timed in the same run, moves as many
bytes: the ratio is the share of the memory bandwidth. Short calls take turns many times, and the least time counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
from numba import njit, prange

from benchmarks import Row, least_seconds, median_seconds
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.lattice import advance, fracture
from fracture_addon.core.methods.lattice.advance import Surroundings
from fracture_addon.core.methods.lattice.cells.fill import fill
from fracture_addon.core.methods.lattice.contact import collisions
from fracture_addon.core.methods.lattice.forces import springs as forces
from fracture_addon.core.methods.lattice.model import MOVED_MASS_SHARE, Model, model_of
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from fracture_addon.core.methods.lattice.state import State
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes, teapot
from tests.blocks import block
from tests.sweeney_operators import surface_model

SPACING, STEPS = 0.003, 20
# Bytes per bond: second node, rest length, stiffness, damping and limit. Bytes per node in the forces: position,
# velocity and force; in a whole step also the force again, the mass, and position and velocity written.
BOND_BYTES, NODE_BYTES, STEP_BYTES = 36, 96, 176
# Cells along an edge of the block for about 14, 100 and 700 thousand nodes.
SMALL, MIDDLE, LARGE = 23, 46, 88
# Cubes of a mug of 13 thousand nodes; cells of a teapot of 100 thousand nodes; metres per unit of Newell's teapot.
MUG_CUBES, TEAPOT_CELLS, TEAPOT_SIZE = 8300, 390_000, 0.25
FALL = Surroundings(gravity=np.array([0.0, 0.0, -9.81]))


def rows() -> Iterator[Row]:
    """Yield kernels at 100 thousand nodes, growth, collisions, a soft mug, an impact on a jar and a dropped teapot."""
    yield from _kernels()
    yield from _growth()
    yield from _collisions()
    yield from _mug()
    yield from _strike()
    yield from _teapot()


def _kernels() -> Iterator[Row]:
    model, state = _shaken(MIDDLE)
    bonds, nodes = model.lattice.bond_count, model.lattice.node_count
    springs = (state.rest_lengths, state.stiffness, state.damping, state.limits, state.scratch.partial)
    sizes = BOND_BYTES * bonds + NODE_BYTES * nodes, BOND_BYTES * bonds + STEP_BYTES * nodes
    a, b, c = (np.ones(sizes[0] // 24) for _ in range(3))
    forced, stepped, triad = least_seconds(
        lambda: forces.bond_forces(state.positions, state.velocities, model.runs, *springs),
        lambda: _run(model, state, 1),
        lambda: _triad(a, b, c),
        repeats=200,
    )
    bandwidth = 24.0 * len(a) / triad
    yield Row("lattice_100k_bonds", nodes, bonds / forced, "bonds/s", bandwidth / sizes[0] * bonds)
    yield Row("lattice_100k_node_steps", nodes, nodes / stepped, "nodes/s", bandwidth / sizes[1] * nodes)


def _growth() -> Iterator[Row]:
    (small, first), (large, last) = (_shaken(cells) for cells in (SMALL, LARGE))
    short, long = least_seconds(lambda: _run(small, first, 1), lambda: _run(large, last, 1), repeats=40)
    nodes = len(large.masses)
    yield Row("lattice_exponent", nodes, math.log(long / short) / math.log(nodes / len(small.masses)), "1")


def _collisions() -> Iterator[Row]:
    """Yield a step of a block cut into 64 fragments in contact; the baseline is the whole block."""
    model, whole = _shaken(MIDDLE)
    _, state = _shaken(MIDDLE)
    part = np.floor(model.lattice.points / (np.ptp(model.lattice.points, axis=0) * 0.25001)).astype(int)
    first, second = model.lattice.bonds.T
    fracture.fracture(model, state, np.flatnonzero((part[first] != part[second]).any(axis=1)))
    # STEPS steps renew the list of pairs as often as a run does.
    plain, with_pairs = least_seconds(lambda: _run(model, whole), lambda: _run(model, state), repeats=10)
    (rebuild,) = least_seconds(lambda: collisions.renew(model, state), repeats=10)
    nodes = len(model.masses)
    yield Row("lattice_100k_step_in_pieces", nodes, 1e3 * with_pairs / STEPS, "ms", 1e3 * plain / STEPS)
    yield Row("lattice_100k_pairs_renewed", nodes, 1e9 * rebuild / nodes, "ns/node")


def _mug() -> Iterator[Row]:
    """Yield 20 ms of a mug of about 13 thousand nodes, 1,000 times softer than porcelain."""
    lattice, _ = fill(shapes.cup(), MUG_CUBES)
    model = model_of(lattice, PORCELAIN.density, PORCELAIN.young_modulus / 1000.0, moved_mass_share=MOVED_MASS_SHARE)
    state = advance.initial_state(model)
    count = math.ceil(0.020 / advance.checked_step(model, None))
    a, b, c = (np.ones((BOND_BYTES * lattice.bond_count + STEP_BYTES * lattice.node_count) // 24) for _ in range(3))
    seconds, triads = least_seconds(
        lambda: _run(model, state, count), lambda: [_triad(a, b, c) for _ in range(count)], repeats=2
    )
    yield Row("lattice_20ms_mug", lattice.node_count, seconds, "s", triads)


def _strike() -> Iterator[Row]:
    surface = shapes.shipped("old_jar")
    settings = Settings.of(method="lattice")
    model = table.build(tetrahedralize(surface, settings.filling.cell_count, 0), PORCELAIN, settings)
    points = surface.points
    place = [points[:, 0].max(), points[:, 1].mean(), points[:, 2].mean()]
    still, duration = RigidMotion(np.zeros(3), np.zeros(3)), 3e-4

    def impact(force: float) -> Impact:
        return Impact(place, [-1.0, 0.0, 0.0], 0.5 * force * duration, duration, 0.0)

    critical = table.critical_force(model, settings, [impact(1.0)])
    struck = [impact(5.0 * critical)]
    seconds = median_seconds(lambda: table.strike(model, settings, still, struck), repeats=3)
    result = table.strike(model, settings, still, struck)
    yield Row("lattice_strike_6k_cells", len(result.fragment_of_cell), seconds, "s")
    yield Row("lattice_strike_pieces", len(result.fragment_of_cell), float(len(result.velocity)), "pieces")
    yield Row("lattice_strike_dust", len(result.fragment_of_cell), result.dust_volume, "1")


def _teapot() -> Iterator[Row]:
    """Yield one second of a shot, all stages: a teapot falls on a floor and breaks."""
    surface, _ = surface_model(hierarchy_of_lattice(teapot.glued(teapot.parts(), teapot.WALL)))
    surface = shapes.moved(Surface(TEAPOT_SIZE * surface.points, surface.faces), offset=(0.0, 0.0, 0.6))
    floor = Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]])
    settings = Settings.of(method="lattice", lattice="cubes", cell_count=TEAPOT_CELLS, repair=True)
    body = Body("Teapot", surface, PORCELAIN, settings)
    job = Job((body,), (Collider("Floor", floor),), frame_start=1, frame_end=24)
    start = time.perf_counter()
    recording = simulate(job, lambda *_: None)
    yield Row("lattice_teapot_second", TEAPOT_CELLS, time.perf_counter() - start, "s")
    yield Row("lattice_teapot_pieces", TEAPOT_CELLS, float(recording.report["bodies"][0]["fragments"]), "pieces")


def _shaken(cells: int) -> tuple[Model, State]:
    model = model_of(block((cells, cells, cells), SPACING), PORCELAIN.density, PORCELAIN.young_modulus)
    state = advance.initial_state(model)
    state.velocities += np.random.default_rng(0).normal(0.0, 0.1, state.velocities.shape)
    return model, state


def _run(model: Model, state: State, count: int = STEPS) -> None:
    advance.run(model, state, FALL, advance.checked_step(model, None), count)


@njit(parallel=True)
def _triad(a, b, c):
    for row in prange(len(a)):
        a[row] = b[row] + 2.0 * c[row]
