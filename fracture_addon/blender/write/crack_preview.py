"""Crack preview: a temporary child object "<object> Cracks" with the lines of the cracks on the object's surface.

Its mesh has edges only, so it is not rendered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.crack_preview import Cracks
from ...core.numerics.rotations import transformed
from . import cell_preview


def show(context: Any, objects: Sequence[bpy.types.Object], cracks: Cracks, frame: int) -> None:
    """Add the crack previews of some objects, in place of earlier previews.

    Args:
        context: Context of the run's scene.
        objects: One per body, in the order of the bodies.
        cracks: Their cracks.
        frame: First frame of the job.
    """
    cell_preview.remove(objects)
    places = cell_preview.own_spaces(context, objects, frame)
    for obj, body, place in zip(objects, cracks.bodies, places, strict=True):
        if not len(body.lines):
            continue
        name = f"{obj.name} Cracks"
        mesh = bpy.data.meshes.new(name)
        points = transformed(body.points, place)
        mesh.from_pydata(points.tolist(), body.lines.tolist(), [])
        cell_preview.add(context.scene, obj, bpy.data.objects.new(name, mesh), "Crack preview")
