"""Free strain in a network: what loads no body, what the textbooks give for a plate, and what a crack releases."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.impact import FreeStrain, Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.fields.heat import HeatMesh, warming
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.network import advance
from tests import shapes
from tests.core.plate_series import largest_stress

EVEN = replace(PORCELAIN, strength_variation=0.0)
# A plate of two cells, and a wall of less than one.
PLATE, WALL = ((0.05, 0.05, 0.01), 1500), ((0.08, 0.08, 0.003), 2000)


class Strained:
    """A plate of porcelain in which free strain can be set."""

    def __init__(self, size, cells):
        self.size, self.settings = size, Settings.of(cell_count=cells, noise=0.0)
        self.solid = tetrahedralize(shapes.box(size), cells, 0)
        self.mesh = HeatMesh.of(self.solid)
        self.prepared = table.prepare(self.solid, EVEN, self.settings)

    def impact(self, strains):
        strain = FreeStrain(self.mesh.points, strains)
        return Impact(np.zeros(3), [0.0, 0.0, -1.0], 0.5, 1.0, 1.0, strain=strain)

    def state(self, strains):
        return advance.initial_state(self.prepared.model, [self.impact(strains)], self.settings, self.prepared.solver)

    def stress(self, strains):
        """Return the stress that decides when the plate breaks, Pa."""
        model, solver = self.prepared.model, self.prepared.solver
        critical = table.critical_force(model, self.settings, [self.impact(strains)], None, solver)
        return EVEN.tensile_strength / critical

    def quenched(self, biot, difference=-100.0):
        """Return the largest stress of the plate in a fluid over E alpha dT / (1 - nu)."""
        mesh, one = self.mesh, np.ones(self.solid.cell_count)
        corners = mesh.points[mesh.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        flat = np.abs(normals[:, 2]) > 0.5 * np.linalg.norm(normals, axis=1)
        capacity, half = EVEN.density * EVEN.specific_heat, 0.5 * self.size[2]
        transfer, values = biot * EVEN.thermal_conductivity / half, (EVEN.thermal_conductivity * one, capacity * one)
        rises = warming(mesh, *values, np.where(flat, transfer, 0.0), mesh.times(*values, transfer))
        stress = max(self.stress(EVEN.thermal_expansion * difference * rise) for rise in rises)
        free = EVEN.thermal_expansion * abs(difference)
        return stress * (1.0 - EVEN.poisson_ratio) / (EVEN.young_modulus * free)


@pytest.fixture(scope="module")
def plate():
    return Strained(*PLATE)


@pytest.fixture(scope="module")
def wall():
    return Strained(*WALL)


@pytest.mark.parametrize("slope", [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.3, 0.0, 0.0)])
def test_even_and_linear_strain_load_no_free_body(plate, slope):
    """It bends and grows: the stress is below 2 % of that of a body that cannot, also in a wall one cell thick."""
    strains = 1e-3 + 0.1 * plate.mesh.points @ slope
    assert np.ptp(strains) == 0.0 or np.ptp(strains) > 9e-4
    _, state = plate.state(strains)
    assert state.burden().max() < 0.02 * EVEN.young_modulus * 1e-3


@pytest.mark.parametrize("biot", [1.0, 5.0, 1000.0])
def test_a_quenched_plate_has_the_stress_of_the_series(plate, biot):
    """Within 25 %. Measured with three seeds: 1.06 to 1.16 times it."""
    assert plate.quenched(biot) == pytest.approx(largest_stress(biot), rel=0.25)


def test_a_quenched_wall_of_one_cell_has_it_within_a_third(wall):
    """Its inner points are those that the division of its cells adds."""
    assert wall.quenched(5.0) == pytest.approx(largest_stress(5.0), rel=1.0 / 3.0)


@pytest.mark.xfail(strict=True, reason="a wall of half a cell at a Biot number of 1 has 1.6 times the stress")
def test_a_quenched_wall_of_half_a_cell_has_the_stress_of_the_series():
    assert Strained((0.08, 0.08, 0.003), 1000).quenched(1.0) == pytest.approx(largest_stress(1.0), rel=0.25)


def test_heat_pulls_in_the_middle_where_cold_pulls_at_the_surface(plate):
    """The middle of a heated plate has half of the stress of its skin, and glass bears it longer."""
    cold, hot = (plate.quenched(5.0, difference) for difference in (-100.0, 100.0))
    assert 0.3 * cold < hot < 0.8 * cold


def test_the_load_is_linear_in_the_strain(plate):
    strains = 1e-3 * (plate.mesh.points[:, 2] / 0.005) ** 2
    assert plate.stress(3.0 * strains) == pytest.approx(3.0 * plate.stress(strains), rel=1e-6)


def test_a_crack_releases_the_skin_of_the_cells_beside_it(wall):
    _, state = wall.state(-1e-3 * (wall.mesh.points[:, 2] / 0.0015) ** 2)
    row, pairs = int(state.burden().argmax()), wall.prepared.model.pairs
    beside = np.isin(pairs, pairs[row]).any(axis=1)
    before = state.burden()
    state.alive[row] = False
    state.glue.remove(np.array([row]))
    after = state.glue.burden()
    assert after[row] == 0.0
    assert after[beside].max() < 0.7 * before[beside].max()
    assert (after[~beside] == before[~beside]).all()


def test_rigid_bonds_are_refused():
    settings = Settings.of(bonds="point")
    prepared = table.prepare(tetrahedralize(shapes.cube(), 60, 0), EVEN, settings)
    impact = Impact(np.zeros(3), [0, 0, -1], 0.5, 1.0, 1.0, strain=FreeStrain(np.zeros((1, 3)), np.ones(1)))
    with pytest.raises(SettingsError, match="only a network with full bonds computes a thermal shock; set Bonds"):
        table.critical_force(prepared.model, settings, [impact], None, prepared.solver)
