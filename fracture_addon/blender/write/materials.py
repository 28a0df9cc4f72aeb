"""Generated materials: the interior material of crack faces, and those of a scene's floor and ball."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import mathutils
import numpy as np

from .mesh import REST_POSITION

INTERIOR_NAME = "Fracture Interior"
# Bump maps for each kind of relief, finer than the triangles: strength of the Bump node, width (m), height (m), and
# relative variation of the colour. A matter of taste.
BUMPS = {
    "SMOOTH": (0.25, 0.0006, 0.00008, 0.04),
    "GRANULAR": (0.9, 0.0014, 0.0006, 0.22),
    "STONY": (0.9, 0.0008, 0.0004, 0.18),
    "SPLINTERED": (0.8, 0.0007, 0.0004, 0.3),
}
# Stones of concrete: width (m), width of the gaps (fraction of the stone's width), fraction of Voronoi cells that are
# stones, and darkest and lightest shade as factors of the colour. A matter of taste.
STONE_WIDTH, STONE_GAP, STONE_SHARE, STONE_SHADES = 0.009, 0.06, 0.55, (0.4, 1.2)
# Length of a wood fibre over its width. A matter of taste.
FIBRE_LENGTH = 25.0
# Custom property on generated materials. Clear removes them if nothing else uses them.
MADE = "fracture_made"
ROUGHNESS = 0.85
GLASS_ROUGHNESS, GLASS_IOR = 0.02, 1.5
# Dark and slightly glossy. A matter of taste.
FLOOR_COLOR, FLOOR_ROUGHNESS = (0.06, 0.063, 0.07, 1.0), 0.55


def interior(obj: bpy.types.Object) -> bpy.types.Material:
    """Create the interior material of an object: rough, with the colour of its first material. Glass stays glass.

    Args:
        obj: Object whose material, relief and grain direction decide.
    """
    own: Any = next((slot.material for slot in obj.material_slots if slot.material), None)
    own_shader = _shader(own) if own is not None else None
    if own is not None and is_glass(own):
        result: Any = own.copy()
        result.name = INTERIOR_NAME
        result[MADE] = True
        return result
    if own_shader is not None:
        color = _color(own_shader.inputs["Base Color"])
    else:
        color = own.diffuse_color[:] if own is not None else (0.8, 0.8, 0.8, 1.0)
    result = plain(INTERIOR_NAME, color, ROUGHNESS)
    result[MADE] = True
    if obj.fracture.relief in BUMPS:
        context: Any = bpy.context
        _roughen(result, obj.fracture.relief, grain_of(obj), context.scene.unit_settings.scale_length)
    return result


def grain_of(obj: bpy.types.Object) -> Sequence[float]:
    """Return the direction of the fibres in world space: that of the settings, or the longest side of the object."""
    if any(obj.fracture.grain):
        return obj.fracture.grain
    corners = [obj.matrix_world @ mathutils.Vector(corner) for corner in obj.bound_box]
    # Blender's corners 1, 3 and 4 are the neighbours of corner 0.
    sides: list[Any] = [corners[row] - corners[0] for row in (1, 3, 4)]
    return tuple(max(sides, key=lambda side: side.length))


def _roughen(material: bpy.types.Material, kind: str, grain: Sequence[float], unit: float) -> None:
    """Add a bump map at real scale, and a colour that varies with it, to a material.

    Args:
        material: Material made by ``plain``.
        kind: A key of ``BUMPS``.
        grain: (3,) direction of the fibres.
        unit: Metres per scene unit.
    """
    strength, width, height, contrast = BUMPS[kind]
    tree: Any = material.node_tree
    nodes, links, shader = tree.nodes, tree.links, _shader(material)
    rest, places, noise, bump = (
        nodes.new(f"ShaderNode{name}") for name in ("Attribute", "Mapping", "TexNoise", "Bump")
    )
    # Use rest positions: patterns continue from fragment to fragment, and follow moving and deforming surfaces.
    rest.attribute_name = REST_POSITION
    position = rest.outputs["Vector"]
    if kind == "SPLINTERED":
        # Rotate the fibres to the Z axis, and stretch the pattern along it.
        turn = mathutils.Vector(grain).rotation_difference((0.0, 0.0, 1.0)).to_euler()
        turned = nodes.new("ShaderNodeMapping")
        turned.inputs["Rotation"].default_value = turn
        links.new(position, turned.inputs["Vector"])
        position = turned.outputs["Vector"]
        places.inputs["Scale"].default_value = (1.0, 1.0, 1.0 / FIBRE_LENGTH)
    links.new(position, places.inputs["Vector"])
    links.new(places.outputs["Vector"], noise.inputs["Vector"])
    noise.inputs["Scale"].default_value = unit / width
    noise.inputs["Detail"].default_value, noise.inputs["Roughness"].default_value = 5.0, 0.6
    links.new(noise.outputs["Fac"], bump.inputs["Height"])
    bump.inputs["Strength"].default_value = strength
    bump.inputs["Distance"].default_value = height / unit
    links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    color = shader.inputs["Base Color"].default_value[:]
    shades = _shades(nodes, color, (0.35, 0.65), (1.0 - contrast, 1.0 + contrast))
    links.new(noise.outputs["Fac"], shades.inputs["Fac"])
    shown = shades.outputs["Color"]
    if kind == "STONY":
        shown = _with_stones(material, color, shown, position, unit)
    links.new(shown, shader.inputs["Base Color"])


def _with_stones(
    material: bpy.types.Material, color: Sequence[float], between: bpy.types.NodeSocket, position: Any, unit: float
) -> bpy.types.NodeSocket:
    """Add nodes for stones. Each has its own shade of a colour (4,); ``between`` is the colour between them."""
    tree: Any = material.node_tree
    nodes, links = tree.nodes, tree.links
    stones, gaps, is_there, is_inside, both, mix = (
        nodes.new(f"ShaderNode{name}") for name in ("TexVoronoi", "TexVoronoi", "Math", "Math", "Math", "MixRGB")
    )
    gaps.feature = "DISTANCE_TO_EDGE"
    for cells in stones, gaps:
        cells.inputs["Scale"].default_value = unit / STONE_WIDTH
        links.new(position, cells.inputs["Vector"])
    is_there.operation = is_inside.operation = "GREATER_THAN"
    both.operation = "MULTIPLY"
    is_there.inputs[1].default_value, is_inside.inputs[1].default_value = 1.0 - STONE_SHARE, STONE_GAP
    shades = _shades(nodes, color, (1.0 - STONE_SHARE, 1.0), STONE_SHADES)
    for source, target in (
        (stones.outputs["Color"], is_there.inputs[0]),
        (gaps.outputs["Distance"], is_inside.inputs[0]),
        (is_there.outputs[0], both.inputs[0]),
        (is_inside.outputs[0], both.inputs[1]),
        (stones.outputs["Color"], shades.inputs["Fac"]),
        (both.outputs[0], mix.inputs["Fac"]),
        (between, mix.inputs["Color1"]),
        (shades.outputs["Color"], mix.inputs["Color2"]),
    ):
        links.new(source, target)
    return mix.outputs["Color"]


def _shades(nodes: Any, color: Sequence[float], places: Sequence[float], shares: Sequence[float]) -> bpy.types.Node:
    """Add a colour ramp between two shades of a colour (4,)."""
    result = nodes.new("ShaderNodeValToRGB")
    for stop, place, share in zip(result.color_ramp.elements, places, shares, strict=True):
        stop.position, stop.color = place, (*(min(share * value, 1.0) for value in color[:3]), 1.0)
    return result


def plain(name: str, color: Sequence[float], roughness: float, metallic: float = 0.0) -> bpy.types.Material:
    """Create a material of one colour (4,)."""
    result: Any = bpy.data.materials.new(name)
    if _shader(result) is None:
        result.use_nodes = True
    inputs = _shader(result).inputs
    result.diffuse_color = inputs["Base Color"].default_value = color
    result.roughness = inputs["Roughness"].default_value = roughness
    result.metallic = inputs["Metallic"].default_value = metallic
    return result


def floor() -> bpy.types.Material:
    """Create the dark material of a floor, on which all other materials stand out."""
    return plain("Floor", FLOOR_COLOR, FLOOR_ROUGHNESS)


def make_glass(material: bpy.types.Material) -> None:
    """Turn a material with a constant alpha below 1 into glass, because some file formats store glass like this."""
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
    """Return whether a material transmits light."""
    shader = _shader(material)
    return shader is not None and shader.inputs["Transmission Weight"].default_value > 0.0


def _color(socket: Any) -> Sequence[float]:
    """Return a socket's colour (4,); with a linked image, the mean of the image."""
    image = getattr(socket.links[0].from_node, "image", None) if socket.is_linked else None
    if image is None or not image.size[0]:
        return socket.default_value[:]
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    mean = pixels.reshape(-1, image.channels)[:, :3].mean(axis=0).tolist()
    if image.colorspace_settings.name == "sRGB" and not image.is_float:
        return (*mathutils.Color(mean).from_srgb_to_scene_linear(), 1.0)  # type: ignore[misc]
    return (*mean, 1.0)


def _shader(of: bpy.types.Material) -> Any:
    """Return the Principled BSDF node of a material; ``None`` without one."""
    nodes = of.node_tree.nodes if of.node_tree is not None else ()
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
