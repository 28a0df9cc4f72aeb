"""Materials that we make: of the faces that a crack opened, and of a scenario's floor and ball."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import mathutils
import numpy as np

INTERIOR_NAME = "Fracture Interior"
# On an interior material that we made, so that clearing may remove it again.
MADE = "fracture_made"
ROUGHNESS = 0.85
GLASS_ROUGHNESS, GLASS_IOR = 0.02, 1.5


def interior(obj: bpy.types.Object) -> bpy.types.Material:
    """A plain, rough material of the colour that an object has by its own first one; of glass, the same glass."""
    own = next((slot.material for slot in obj.material_slots if slot.material), None)
    own_shader = _shader(own) if own is not None else None
    if own is not None and is_glass(own):
        result: bpy.types.Material = own.copy()
        result.name = INTERIOR_NAME
        result[MADE] = True
        return result
    if own_shader is not None:
        color = _color(own_shader.inputs["Base Color"])
    else:
        color = own.diffuse_color[:] if own is not None else (0.8, 0.8, 0.8, 1.0)
    result = plain(INTERIOR_NAME, color, ROUGHNESS)
    result[MADE] = True
    return result


def plain(name: str, color: Sequence[float], roughness: float, metallic: float = 0.0) -> bpy.types.Material:
    """A new material of one colour (4,)."""
    result = bpy.data.materials.new(name)
    if _shader(result) is None:
        result.use_nodes = True
    inputs = _shader(result).inputs
    result.diffuse_color = inputs["Base Color"].default_value = color
    result.roughness = inputs["Roughness"].default_value = roughness
    result.metallic = inputs["Metallic"].default_value = metallic
    return result


def make_glass(material: bpy.types.Material) -> None:
    """Turn a material of one opacity below 1, which is all that some files can say of glass, into glass."""
    shader = _shader(material)
    if shader is None or shader.inputs["Alpha"].is_linked or shader.inputs["Base Color"].is_linked:
        return
    inputs, opacity = shader.inputs, shader.inputs["Alpha"].default_value
    if opacity < 1.0:
        color = [1.0 - opacity * (1.0 - value) for value in inputs["Base Color"].default_value[:3]]
        inputs["Base Color"].default_value = (*color, 1.0)
        inputs["Transmission Weight"].default_value = inputs["Alpha"].default_value = 1.0
        inputs["Roughness"].default_value, inputs["IOR"].default_value = GLASS_ROUGHNESS, GLASS_IOR


def is_glass(material: bpy.types.Material) -> bool:
    """Whether light goes through it."""
    shader = _shader(material)
    return shader is not None and shader.inputs["Transmission Weight"].default_value > 0.0


def _color(socket: bpy.types.NodeSocket) -> Sequence[float]:
    """A socket's colour (4,); of an image that is plugged into it, the mean."""
    image = getattr(socket.links[0].from_node, "image", None) if socket.is_linked else None
    if image is None or not image.size[0]:
        return socket.default_value[:]
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    mean = pixels.reshape(-1, image.channels)[:, :3].mean(axis=0)
    if image.colorspace_settings.name == "sRGB" and not image.is_float:
        mean = mathutils.Color(mean).from_srgb_to_scene_linear()
    return (*mean, 1.0)


def _shader(of: bpy.types.Material) -> bpy.types.Node | None:
    nodes = of.node_tree.nodes if of.node_tree is not None else ()
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
