"""Cracks in finite elements: the limit of their speed, and stress that is computed again within a check."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.placed_fields import Region
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.critical_load import window_of, with_peak
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.fracture import Cracking
from fracture_addon.core.methods.fem.state import component_of_element, crack_faces, from_solid
from tests import shapes
from tests.core.grid import block

GLASS = Material("Glass", 2500.0, 71e9, 0.0, 40e6, 330e6, 0.75e6, strength_variation=0.0)
SIZE = 0.02


def stretched(cells, tension, weak, **changes):
    """Return Cracking of a block of cubes that is stretched to a tension (3,) over its strength, with one weak node."""
    settings = Settings.of(
        method="fem", noise=0.0, regions=(Region(weak, 0.4 * SIZE, strength=0.5, softness=0.1),), **changes
    )
    mesh = from_solid(block(cells, SIZE * np.array(cells)), GLASS.density)
    motion = Leapfrog(mesh, law_of(GLASS))
    strain = np.array(tension) * GLASS.tensile_strength / GLASS.young_modulus
    mesh.position[:] = mesh.rest * (1.0 + strain)
    return Cracking(mesh, motion, motion.law, GLASS, settings)


@pytest.mark.parametrize("speed", [50.0, 200.0])
def test_a_crack_is_at_most_as_fast_as_its_limit(speed):
    """The stress carries it on across the whole plate; with the limit of glass it arrives sooner."""
    cells, start = (2, 12, 2), np.array([SIZE, 0.0, SIZE])
    seconds, fast = 1e-5, stretched((2, 12, 2), (0.9, 0.0, 0.0), start)
    slow = stretched(cells, (0.9, 0.0, 0.0), start, crack_speed=speed)
    arrivals = {}
    for check in range(round(12 * SIZE / speed / seconds) + 40):
        time = check * seconds
        for name, cracking in (("fast", fast), ("slow", slow)):
            cracking.check(time, cracking=True)
            faces, _ = crack_faces(cracking.mesh)
            reached = cracking.mesh.rest[faces][..., 1].max(initial=0.0)
            if name == "slow":
                # An element opens as a whole when the crack gets to it.
                assert reached <= speed * time + 3.0 * SIZE
            if reached > 11.0 * SIZE:
                arrivals.setdefault(name, time)
    assert arrivals["fast"] < 0.5 * arrivals["slow"]
    assert arrivals["slow"] == pytest.approx(11.0 * SIZE / speed, rel=0.35)


def test_without_a_given_limit_a_crack_takes_half_of_the_speed_of_surface_waves():
    """Also with several passes in each check."""
    speed = 0.5 * GLASS.rayleigh_speed
    for passes in (1, 3):
        start = np.array([SIZE, 0.0, SIZE])
        cracking = stretched((2, 12, 2), (0.9, 0.0, 0.0), start, crack_passes=passes)
        seconds, reached = 1e-6, 0.0
        for check in range(round(16 * SIZE / speed / seconds)):
            cracking.check(check * seconds, cracking=True)
            faces, _ = crack_faces(cracking.mesh)
            reached = cracking.mesh.rest[faces][..., 1].max(initial=0.0)
            assert reached <= speed * check * seconds + 3.0 * SIZE
        assert reached > 11.0 * SIZE


def dust_of_a_rock(seed, **changes):
    """Return the share of a rock in fragments below four elements, after an impact at 1.3 times its critical load."""
    surface, settings = shapes.shipped("rock3"), Settings.of(method="fem", noise=0.0, seed=seed, **changes)
    solid = tetrahedralize(surface, 300, seed)
    model = fem.build(solid, PORCELAIN, settings)
    impact = Impact(surface.points[np.argmax(surface.points[:, 2])], [0.0, 0.0, -1.0], 1.0, 3e-4, 0.015)
    load = with_peak(impact, 1.3 * fem.critical_force(model, settings, [impact]))
    mesh = window_of(model, settings, [load]).run(cracking=True).mesh
    volume = mesh.volume[~mesh.ghost]
    volumes = np.bincount(component_of_element(mesh)[~mesh.ghost], volume)
    return volumes[volumes < 4.0 * volume.sum() / solid.cell_count].sum() / volume.sum()


def test_a_thick_body_turns_to_dust_only_where_cracks_outrun_waves():
    """Measured with five seeds: 0.01 to 0.03 of a rock; with cracks of any speed 0.17 to 0.32."""
    usual, fast = (np.mean([dust_of_a_rock(seed, crack_speed=speed) for seed in (0, 1)]) for speed in (0.0, 1e6))
    assert usual < 0.5 * fast
    assert usual < 0.15


def test_a_second_plane_divides_a_node_in_the_same_check():
    """Equal tension along two axes: one pass divides the node once, several divide it along both axes."""
    copies = []
    for passes in (1, 4):
        cracking = stretched((4, 4, 4), (0.8, 0.8, 0.0), np.full(3, 2.0 * SIZE), crack_passes=passes)
        mesh = cracking.mesh
        (node,) = np.flatnonzero(np.linalg.norm(mesh.rest - 2.0 * SIZE, axis=1) < 1e-9)
        cracking.check(0.0, cracking=True)
        copies.append(np.count_nonzero(mesh.rest_node[mesh.mass > 0.0] == mesh.rest_node[node]))
    assert copies[0] <= 2 < copies[1]


def test_more_passes_open_more_of_a_crack_in_one_check():
    """With a limit of its speed that lets it cross the plate in that time."""
    opened = []
    for passes in (1, 4):
        settings = {"crack_speed": 1e6, "crack_passes": passes}
        cracking = stretched((2, 12, 2), (0.9, 0.0, 0.0), np.array([SIZE, 0.0, SIZE]), **settings)
        cracking.check(1e-6, cracking=True)
        faces, _ = crack_faces(cracking.mesh)
        opened.append(cracking.mesh.rest[faces][..., 1].max(initial=0.0))
    assert opened[0] < opened[1]
