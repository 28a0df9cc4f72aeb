"""What the tutorials do to a scene, beside the buttons of the panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from fracture_addon.blender.setup import presets


def empty_scene(frames: int) -> Any:
    """An empty scene from frame 1 to a last one."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    return scene


def select(*objects: Any) -> None:
    """Select only these objects; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj


def preset(name: str) -> None:
    """Choose a material for the selected objects, as in the menu of the panel."""
    bpy.ops.fracture.apply_preset(filepath=str(presets.find(name)))


def box(name: str, size: Sequence[float], location: Sequence[float]) -> Any:
    """Add a box of a size in metres, its scale applied."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=location, scale=size)
    bpy.context.object.name = name
    bpy.ops.object.transform_apply(location=False)
    return bpy.context.object


def press(operator: str, **values: Any) -> None:
    """Press a button of the panel by the name of its operator."""
    getattr(bpy.ops.fracture, operator)(**values)


def rest_on_ground(obj: Any) -> None:
    """Apply the rotation and the scale of an object, and put its lowest point at a height of 0."""
    bpy.ops.object.transform_apply(location=False)
    obj.location.z -= min(corner[2] for corner in obj.bound_box) + obj.location.z
    bpy.context.view_layer.update()


def colored(obj: Any, name: str, color: Sequence[float], **inputs: float) -> None:
    """Give an object a new material.

    Args:
        obj: The object.
        name: Name of the material, from which the panel guesses what the object is made of.
        color: Red, green, blue.
        inputs: Values of other inputs of the Principled BSDF, with underscores for spaces.
    """
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"].inputs
    shader["Base Color"].default_value = (*color, 1.0)
    for key, value in inputs.items():
        shader[key.replace("_", " ")].default_value = value
    obj.data.materials.append(material)


def passive(obj: Any) -> None:
    """Make an object a passive rigid body, which stays where it is."""
    if bpy.context.scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
        bpy.ops.rigidbody.object_add(type="PASSIVE")
