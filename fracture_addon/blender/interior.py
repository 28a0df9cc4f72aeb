"""The material of the faces that a crack makes."""

from __future__ import annotations

import bpy

NAME = "Fracture Interior"
# On a material that we made, so that clearing may remove it again.
MADE = "fracture_made"
ROUGHNESS = 0.85


def material(obj: bpy.types.Object) -> bpy.types.Material:
    """A plain, rough material of the colour that an object has by its own first one."""
    result = bpy.data.materials.new(NAME)
    result[MADE] = True
    shader = _shader(result)
    if shader is None:
        result.use_nodes = True
        shader = _shader(result)
    own = next((slot.material for slot in obj.material_slots if slot.material), None)
    own_shader = _shader(own) if own is not None else None
    if own_shader is not None and not own_shader.inputs["Base Color"].is_linked:
        color = own_shader.inputs["Base Color"].default_value[:]
    else:
        color = own.diffuse_color[:] if own is not None else result.diffuse_color[:]
    result.diffuse_color, result.roughness = color, ROUGHNESS
    shader.inputs["Base Color"].default_value = color
    shader.inputs["Roughness"].default_value = ROUGHNESS
    return result


def _shader(of: bpy.types.Material) -> bpy.types.Node | None:
    nodes = of.node_tree.nodes if of.node_tree is not None else ()
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
