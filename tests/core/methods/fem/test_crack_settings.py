"""Settings of cracks in finite elements: a speed limit, and stress that is computed again within a check."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import Region
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.fracture import Cracking
from fracture_addon.core.methods.fem.state import crack_faces, from_solid
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
    """The stress carries it on across the whole plate; without a limit it arrives sooner."""
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
    opened = []
    for passes in (1, 4):
        cracking = stretched((2, 12, 2), (0.9, 0.0, 0.0), np.array([SIZE, 0.0, SIZE]), crack_passes=passes)
        cracking.check(0.0, cracking=True)
        faces, _ = crack_faces(cracking.mesh)
        opened.append(cracking.mesh.rest[faces][..., 1].max(initial=0.0))
    assert opened[0] < opened[1]
