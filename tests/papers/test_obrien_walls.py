"""Figure 9 as a whole scene: a wall that a ball hits, whose fragments fly, strike one another and break again."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.solid import cell_volumes
from fracture_addon.core.methods import table
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.papers.obrien_scenes import SCENES, material_of, set_up

CELLS = 300
STANDING = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
# The middle of the ball, in front of the wall.
BALL = (0.0, -0.6, 0.0)


def test_the_mesh_of_a_wall_grows_manifold_as_it_breaks_and_its_fragments_do(monkeypatch):
    """Figure 10, wall 2: from 1,109 to 8,275 elements there."""
    solid = set_up("wall_2", CELLS)[1]
    size = float(np.median(np.cbrt(6.0 * np.sqrt(2.0) * cell_volumes(solid.points, solid.cells))))
    scene = SCENES["wall_2"]()
    settings = Settings.of(method="fem", cell_count=CELLS)
    wall = Body("wall", scene.surface, material_of(scene, "wall_2", size), settings, STANDING)
    surface = shapes.moved(shapes.icosphere(0.29), offset=BALL)
    ball = Collider("ball", surface, shape="sphere", mass=2000.0, velocity=np.array([0.0, 8.0, 0.0]))
    counts, strike = [], table.strike

    def counted(model, *arguments, **named):
        result = strike(model, *arguments, **named)
        counts.append((model.solid.cell_count, (result.solid or model.solid).cell_count))
        return result

    monkeypatch.setattr(table, "strike", counted)
    simulate(Job((wall,), (ball,), frame_end=6), lambda *_: None)
    before, after_impact = counts[0]
    # All fragments together.
    at_end = before + sum(after - own for own, after in counts)
    assert after_impact > 3.0 * before
    assert at_end > 4.0 * before
