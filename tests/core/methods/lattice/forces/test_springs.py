"""Forces of springs: the kernels against readable code."""

import numpy as np
import pytest

from fracture_addon.core.methods.lattice.forces import runs as bond_runs
from fracture_addon.core.methods.lattice.forces import springs
from tests import readable_kernels
from tests.blocks import block

MODULUS, SPACING = 1e6, 0.01


@pytest.mark.parametrize("kind", ["body", "face"])
@pytest.mark.parametrize("parallel_from", [0, 10**9])
def test_kernel_and_readable_forces_agree(kind, parallel_from, monkeypatch):
    monkeypatch.setattr(bond_runs, "PARALLEL_FROM", parallel_from)
    # There are enough bonds for several blocks in each run.
    lattice = block((12, 9, 7), SPACING, kind)
    random = np.random.default_rng(1)
    positions = lattice.points + random.normal(0.0, 1e-3, lattice.points.shape)
    velocities = random.normal(0.0, 1.0, positions.shape)
    runs = bond_runs.runs_of(lattice.bonds, lattice.node_count)
    stiffness, damping = MODULUS * lattice.stiffness, random.uniform(0.0, 1.0, lattice.bond_count)
    partial = np.full((bond_runs.CHUNKS, lattice.node_count, 3), np.nan)
    limits = np.full(lattice.bond_count, np.inf)
    over = springs.bond_forces(positions, velocities, runs, lattice.rest_lengths, stiffness, damping, limits, partial)
    total = np.zeros_like(positions)
    bond_runs.summed(runs, partial, total)
    readable = readable_kernels.bond_forces(
        positions, velocities, lattice.bonds, lattice.rest_lengths, stiffness, damping
    )
    assert not over
    assert np.allclose(total, readable, rtol=1e-10, atol=1e-9 * np.abs(readable).max())
