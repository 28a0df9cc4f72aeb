"""Two blocks with a joint between them, for the tests of the methods' joints."""

from __future__ import annotations

from dataclasses import replace

from fracture_addon.core.data.job import Body, Bond, Job
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.timeline.assemblies import assemble_bodies
from fracture_addon.core.timeline.preparation import prepare
from tests import shapes

STONE = replace(PORCELAIN, strength_variation=0.0)
RUBBER = replace(STONE, young_modulus=20e6, tensile_strength=1e6, compressive_strength=10e6)
# Gap between the blocks, m, and area of the joint, m2.
GAP, AREA = 0.005, 0.1 * 0.06


def joined_blocks(glue, materials, settings):
    """Two blocks with a gap across X, as one breakable body."""
    places = (-0.5 * (0.2 + GAP), 0.5 * (0.2 + GAP))
    bodies = [
        Body(name, shapes.box((0.2, 0.1, 0.06), (x, 0.0, 0.0)), material, settings)
        for name, x, material in zip("AB", places, materials, strict=True)
    ]
    job = Job(tuple(bodies), (), 1, 10, bonds=(Bond(0, 1, glue, 0.02),))
    whole = [prepare(job, row, lambda stage, share: None) for row in range(2)]
    (result,) = assemble_bodies(job, whole).breakables
    return result
