"""Cell preview: a temporary child object "<object> Preview" that shows the cells of an object.

A preview has the custom property of a fragment, so that it cannot be broken, and one that names the kind of preview.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.cell_preview import CELL, STRENGTH, Preview
from ...core.data.surface import Surface
from ...core.numerics.rotations import transformed
from ..read import motion, settings
from ..scene import ownership
from ..scene.collections import home
from ..scene.result_lookup import MARK, PREVIEW, SOURCE, preview_of
from . import materials, node_groups
from .mesh import add_attribute, new_mesh

COLOR = "Strength"
# Strength as a fraction of the material's, and its colour.
LEVELS = (0.5, 1.0, 1.5)
COLORS = ((0.8, 0.1, 0.05), (0.75, 0.75, 0.7), (0.1, 0.25, 0.8))


def show(context: Any, objects: Sequence[bpy.types.Object], preview: Preview) -> None:
    """Add cell previews to the scene. They replace earlier previews of the same objects.

    Args:
        context: Context of the run's scene.
        objects: One object per body of the preview, in its order.
        preview: Their cells.
    """
    scene = context.scene
    remove(objects)
    places = own_spaces(context, objects, settings.frame_range(scene)[0])
    for obj, cells, place in zip(objects, preview.bodies, places, strict=True):
        _add(scene, obj, cells, transformed(cells.points, place))


def own_spaces(context: Any, objects: Sequence[bpy.types.Object], frame: int) -> list[np.ndarray]:
    """Return for each object the matrix (4, 4) from the world on a frame, metres, to its own space."""
    scene = context.scene
    with motion.visiting(scene):
        scene.frame_set(frame)
        depsgraph = context.evaluated_depsgraph_get()
        places = [np.linalg.pinv(motion.world_matrix(obj, depsgraph)) for obj in objects]
    metres = np.diag([*[1.0 / scene.unit_settings.scale_length] * 3, 1.0])
    return [place @ metres for place in places]


def add(scene: bpy.types.Scene, obj: bpy.types.Object, preview: bpy.types.Object, shown: str) -> None:
    """Add a preview to a scene as a child of its object.

    Args:
        scene: The scene.
        obj: The object of the preview.
        preview: The preview, not in a collection yet.
        shown: Kind of the preview, for the panel.
    """
    preview[MARK], preview[SOURCE] = shown, obj.name
    preview.parent = obj
    preview.show_in_front = preview.hide_render = True
    home(scene, obj).objects.link(preview)
    ownership.give(obj, PREVIEW, preview)


def remove(objects: Sequence[bpy.types.Object]) -> None:
    """Remove the previews of some objects."""
    for obj in objects:
        preview = preview_of(obj)
        if preview is not None:
            shown: list[Any] = [preview, *node_groups.helpers_of(preview)]
            meshes = {item.data for item in shown}
            made = {item for mesh in meshes for item in mesh.materials if item and materials.MADE in item}
            ownership.remove_objects([preview])
            # In this order, because each item uses those after it.
            for items in shown[1:], meshes, made:
                bpy.data.batch_remove([item for item in items if not item.users])
        obj.pop(PREVIEW, None)
    node_groups.remove_unused()


def color_by_strength(mesh: bpy.types.Mesh, strength: np.ndarray) -> None:
    """Colour the triangles of a mesh by their strength (F,), a fraction of the material's."""
    colors = [np.interp(strength, LEVELS, channel) for channel in np.transpose(COLORS)]
    corners = np.repeat(np.stack([*colors, np.ones(len(strength))], axis=1), 3, axis=0)
    add_attribute(mesh, COLOR, "BYTE_COLOR", "CORNER", corners)
    mesh.color_attributes.active_color_name = COLOR


def _add(scene: bpy.types.Scene, obj: bpy.types.Object, cells: Surface, points: np.ndarray) -> None:
    name = f"{obj.name} Preview"
    mesh = new_mesh(name, points, cells.faces)
    strength = cells.face_attributes[STRENGTH]
    add_attribute(mesh, CELL.removeprefix("face/"), "INT", "FACE", cells.face_attributes[CELL])
    add_attribute(mesh, STRENGTH.removeprefix("face/"), "FLOAT", "FACE", strength)
    color_by_strength(mesh, strength)
    add(scene, obj, bpy.data.objects.new(name, mesh), "Cell preview")
