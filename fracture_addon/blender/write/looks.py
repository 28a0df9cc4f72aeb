"""Materials that look like the material presets: shader nodes made by script, without image files.

The pattern of a look has its real size, in metres, and is in the object's own space. Pieces compute it from their rest
position and the place that the object had in the run, so that it does not change at the break.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix, Vector

from . import materials
from .mesh import REST_POSITION

# Custom property on a material that ``give`` made: the name of its look.
LOOK = "fracture_look"
# Names of the nodes that ``follow`` changes.
PLACE, SIZE = "Fracture Place", "Fracture Size"
# Direction of the fibres of a look that belongs to no object.
ALONG = Vector((0.0, 0.0, 1.0))
# Scene units: rest positions nearer to the origin count as missing; a point of a piece is there only by chance.
AT_ORIGIN = 1e-9
# Blend of a Layer Weight node: reflections of glass in EEVEE, few in the middle, more at the edges. Chosen by eye.
EDGES = 0.1
# Values of a pattern at which it has its two colours. Chosen by eye.
STOPS = {"mottled": (0.3, 0.7), "speckled": (0.15, 0.85), "veined": (0.38, 0.55), "grain": (0.35, 0.65)}


@dataclass(frozen=True)
class Look:
    """Values of a look, all chosen by eye.

    Attributes:
        colors: Two linear colours (3,) between which the pattern varies.
        width: m, size of the pattern; 0 for none.
        pattern: "mottled", "speckled", "veined" or "grain".
        bump: m, height of the bumps.
        roughness, metallic, transmission, ior, coat: Values of the Principled BSDF.
    """

    colors: tuple[tuple[float, float, float], tuple[float, float, float]]
    width: float = 0.0
    pattern: str = "mottled"
    bump: float = 0.0
    roughness: float = 0.9
    metallic: float = 0.0
    transmission: float = 0.0
    ior: float = 1.5
    coat: float = 0.0


def _glass(color: tuple[float, float, float], roughness: float = 0.0, ior: float = 1.52) -> Look:
    return Look((color, color), roughness=roughness, transmission=1.0, ior=ior)


_GREEN_GLASS = _glass((0.86, 0.95, 0.91))
_CLAY = Look(((0.38, 0.13, 0.06), (0.55, 0.22, 0.11)), 0.03, bump=0.0003, roughness=0.85)
_GLAZE = Look(((0.82, 0.81, 0.77), (0.86, 0.85, 0.82)), 0.08, roughness=0.15, coat=0.6)
_PLASTER = Look(((0.62, 0.60, 0.56), (0.74, 0.72, 0.68)), 0.02, bump=0.0002)
_METAL = Look(((0.80, 0.81, 0.83), (0.88, 0.89, 0.90)), 0.02, roughness=0.3, metallic=1.0)
_PAPER = Look(((0.78, 0.77, 0.73), (0.82, 0.81, 0.78)), 0.05)
_CONCRETE = Look(((0.20, 0.20, 0.19), (0.42, 0.41, 0.39)), 0.04, bump=0.0008)
_TILE = Look(((0.45, 0.60, 0.66), (0.52, 0.66, 0.71)), 0.05, roughness=0.12, coat=0.6)
_ADOBE = Look(((0.30, 0.19, 0.10), (0.46, 0.31, 0.19)), 0.03, bump=0.001)
_PINE = Look(((0.38, 0.20, 0.08), (0.62, 0.38, 0.18)), 0.012, "grain", bump=0.0001, roughness=0.6)
# Looks by the name of the material in lower case.
LOOKS: dict[str, Look] = {
    "soda lime glass": _GREEN_GLASS,
    "borosilicate glass": _glass((0.97, 0.98, 0.96)),
    "tempered glass": _GREEN_GLASS,
    "laminated glass": _GREEN_GLASS,
    "sugar glass": _glass((0.96, 0.90, 0.75), roughness=0.05),
    "ice": Look(((0.75, 0.87, 0.95), (0.95, 0.98, 1.0)), 0.03, bump=0.002, roughness=0.12, transmission=1.0, ior=1.31),
    "obsidian": Look(((0.004, 0.004, 0.005), (0.012, 0.010, 0.010)), 0.03, roughness=0.05),
    "wood pine": _PINE,
    "plywood": Look(((0.50, 0.33, 0.17), (0.66, 0.47, 0.27)), 0.02, "grain", bump=0.0001, roughness=0.65),
    "concrete c30": _CONCRETE,
    "reinforced concrete": _CONCRETE,
    "mortar joint": Look(((0.34, 0.32, 0.29), (0.52, 0.50, 0.46)), 0.01, bump=0.0006),
    "frozen ground": Look(((0.05, 0.035, 0.025), (0.16, 0.12, 0.09)), 0.03, bump=0.002, roughness=0.75),
    "terracotta": _CLAY,
    "adobe": _ADOBE,
    "brick": Look(((0.20, 0.045, 0.025), (0.36, 0.11, 0.06)), 0.006, bump=0.0008),
    "porcelain": _GLAZE,
    "ceramic tile": _TILE,
    "granite": Look(((0.06, 0.055, 0.055), (0.52, 0.46, 0.42)), 0.004, "speckled", bump=0.0001, roughness=0.5),
    "marble": Look(((0.36, 0.37, 0.39), (0.86, 0.85, 0.83)), 0.12, "veined", roughness=0.2),
    "sandstone": Look(((0.48, 0.32, 0.17), (0.66, 0.49, 0.30)), 0.03, bump=0.0005),
    "jade nephrite": Look(((0.02, 0.16, 0.07), (0.12, 0.36, 0.20)), 0.04, "veined", roughness=0.2, coat=0.3),
    "plaster": _PLASTER,
    "plaster board": _PLASTER,
    "bone": Look(((0.58, 0.50, 0.37), (0.74, 0.67, 0.54)), 0.01, bump=0.0002, roughness=0.55),
    "eggshell": Look(((0.70, 0.52, 0.38), (0.80, 0.63, 0.49)), 0.004, bump=0.00003, roughness=0.6),
    "chocolate dark 20c": Look(((0.035, 0.012, 0.006), (0.06, 0.022, 0.011)), 0.02, roughness=0.35),
    "abs toughened": Look(((0.03, 0.03, 0.035), (0.03, 0.03, 0.035)), roughness=0.4),
    "aluminium 6061t6": _METAL,
    "aluminium soft 1050": _METAL,
    "cast iron grey": Look(((0.10, 0.10, 0.10), (0.20, 0.195, 0.19)), 0.005, bump=0.0003, roughness=0.6, metallic=1.0),
    # Materials of the scenes in the menu.
    "adobe of the paper": _ADOBE,
    "clay of the paper": _CLAY,
    "plaster of the paper": _PLASTER,
    "glass of the paper": _GREEN_GLASS,
    "ceramic of the paper": _TILE,
    "sheet, brittle": _GLAZE,
    "sheet, light and flexible": _PAPER,
    "sheet, anisotropic": _PINE,
    "sheet, plastic": _METAL,
    "paper": _PAPER,
    "swing": _PINE,
    "leaf, dry": Look(((0.30, 0.12, 0.03), (0.52, 0.27, 0.06)), 0.02, roughness=0.7),
}


def look_of(obj: Any) -> Look | None:
    """Return the look of an object's material preset; ``None`` without one."""
    return LOOKS.get(obj.fracture.material_name.casefold())


def has_material(obj: bpy.types.Object) -> bool:
    """Return whether an object has a material. A look counts too, because the artist may have changed it."""
    return any(slot.material is not None for slot in obj.material_slots)


def give(obj: Any) -> bpy.types.Material:
    """Give an object a material that looks like its preset, in all its slots.

    Args:
        obj: An object whose preset has a look.
    """
    result = made(obj.fracture.material_name, _grain(obj))
    if not obj.material_slots:
        obj.data.materials.append(result)
    for slot in obj.material_slots:
        slot.material = result
    follow(obj, obj.matrix_world)
    return result


def made(name: str, grain: Vector = ALONG) -> bpy.types.Material:
    """Create a new material with the look of a preset.

    Args:
        name: Name of the preset's material; ``LOOKS`` has it.
        grain: Direction of the fibres in the space of the object.
    """
    result = _material(name, LOOKS[name.casefold()], grain)
    result[LOOK] = name
    return result


def follow(obj: bpy.types.Object, place: Matrix) -> None:
    """Store the place of an object in the nodes of its looks, so that its pieces show the same pattern.

    Args:
        obj: The object.
        place: Its world matrix at the start of a run.
    """
    context: Any = bpy.context
    unit = context.scene.unit_settings.scale_length
    scale: Any
    location, rotation, scale = place.decompose()
    for slot in obj.material_slots:
        material: Any = slot.material
        if material is None or material.library is not None or LOOK not in material:
            continue
        tree = material.node_tree
        if PLACE not in tree.nodes:
            continue
        inputs = tree.nodes[PLACE].inputs
        inputs["Location"].default_value, inputs["Rotation"].default_value = location, rotation.to_euler()
        inputs["Scale"].default_value = scale
        tree.nodes[SIZE].inputs["Scale"].default_value = [unit * value for value in scale]


def _material(name: str, look: Look, grain: Vector) -> bpy.types.Material:
    mean = [0.5 * (low + high) for low, high in zip(*look.colors, strict=True)]
    result = materials.plain(name, (*mean, 1.0), look.roughness, look.metallic)
    tree: Any = result.node_tree
    nodes, links = tree.nodes, tree.links
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Transmission Weight"].default_value, shader.inputs["IOR"].default_value = look.transmission, look.ior
    shader.inputs["Coat Weight"].default_value = look.coat
    colors, normals = [shader.inputs["Base Color"]], [shader.inputs["Normal"]]
    if look.transmission:
        _let_light_through(nodes, links, shader, mean)
        result.surface_render_method = "BLENDED"  # the other method of EEVEE has noise, and no tint
        clear, edges, gloss = _show_what_is_behind(nodes, links, look.roughness, mean)
        colors.append(clear.inputs["Color"])
        normals += [edges.inputs["Normal"], gloss.inputs["Normal"]]
    if not look.width:
        return result
    value = _pattern(nodes, links, look, _position(nodes, links), grain)
    ramp, bump = nodes.new("ShaderNodeValToRGB"), nodes.new("ShaderNodeBump")
    for stop, place, color in zip(ramp.color_ramp.elements, STOPS[look.pattern], look.colors, strict=True):
        stop.position, stop.color = place, (*color, 1.0)
    links.new(value, ramp.inputs["Fac"])
    for socket in colors:
        links.new(ramp.outputs["Color"], socket)
    if look.bump:
        context: Any = bpy.context
        bump.inputs["Distance"].default_value = look.bump / context.scene.unit_settings.scale_length
        links.new(value, bump.inputs["Height"])
        for socket in normals:
            links.new(bump.outputs["Normal"], socket)
    else:
        nodes.remove(bump)
    return result


def _let_light_through(nodes: Any, links: Any, shader: Any, color: Sequence[float]) -> None:
    """Make a material cast a bright shadow, because Cycles rarely samples light through glass."""
    rays, clear, mix = (nodes.new(f"ShaderNode{name}") for name in ("LightPath", "BsdfTransparent", "MixShader"))
    output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
    clear.inputs["Color"].default_value = (*color, 1.0)
    links.new(rays.outputs["Is Shadow Ray"], mix.inputs[0])
    links.new(shader.outputs[0], mix.inputs[1])
    links.new(clear.outputs[0], mix.inputs[2])
    links.new(mix.outputs[0], output.inputs["Surface"])


def _show_what_is_behind(nodes: Any, links: Any, roughness: float, color: Sequence[float]) -> tuple[Any, Any, Any]:
    """Add an output for EEVEE: a tint on what is behind, and reflections that are stronger at the edges.

    By default EEVEE bends light through glass from the world alone, without objects: glass on a floor is dark.

    Returns:
        The nodes of the tint, of the edges and of the reflections.
    """
    clear, edges, gloss, mix, output = (
        nodes.new(f"ShaderNode{name}")
        for name in ("BsdfTransparent", "LayerWeight", "BsdfAnisotropic", "MixShader", "OutputMaterial")
    )
    output.target = "EEVEE"
    clear.inputs["Color"].default_value = (*color, 1.0)
    edges.inputs["Blend"].default_value, gloss.inputs["Roughness"].default_value = EDGES, roughness
    links.new(edges.outputs["Facing"], mix.inputs[0])
    links.new(clear.outputs[0], mix.inputs[1])
    links.new(gloss.outputs[0], mix.inputs[2])
    links.new(mix.outputs[0], output.inputs["Surface"])
    return clear, edges, gloss


def _position(nodes: Any, links: Any) -> Any:
    """Add the nodes of the position in the object's space, m: from the rest position of a piece, if it has one."""
    rest, own, size, is_piece, place, mix, scaled = (
        nodes.new(f"ShaderNode{name}")
        for name in ("Attribute", "TexCoord", "VectorMath", "Math", "Mapping", "Mix", "Mapping")
    )
    rest.attribute_name, place.name, scaled.name = REST_POSITION, PLACE, SIZE
    size.operation, is_piece.operation, mix.data_type, place.vector_type = "LENGTH", "GREATER_THAN", "VECTOR", "TEXTURE"
    is_piece.inputs[1].default_value = AT_ORIGIN
    links.new(rest.outputs["Vector"], size.inputs[0])
    links.new(size.outputs["Value"], is_piece.inputs[0])
    links.new(rest.outputs["Vector"], place.inputs["Vector"])
    by_identifier = {socket.identifier: socket for socket in (*mix.inputs, *mix.outputs)}
    links.new(is_piece.outputs["Value"], by_identifier["Factor_Float"])
    links.new(own.outputs["Object"], by_identifier["A_Vector"])
    links.new(place.outputs["Vector"], by_identifier["B_Vector"])
    links.new(by_identifier["Result_Vector"], scaled.inputs["Vector"])
    return scaled.outputs["Vector"]


def _pattern(nodes: Any, links: Any, look: Look, position: Any, grain: Vector) -> Any:
    """Add the nodes of a pattern, and return its value from 0 to 1."""
    if look.pattern == "grain":
        # Rotate the fibres to the Z axis, and stretch the pattern along it.
        turned, thin = nodes.new("ShaderNodeMapping"), nodes.new("ShaderNodeMapping")
        turned.inputs["Rotation"].default_value = grain.rotation_difference((0.0, 0.0, 1.0)).to_euler()
        thin.inputs["Scale"].default_value = (1.0, 1.0, 1.0 / materials.FIBRE_LENGTH)
        links.new(position, turned.inputs["Vector"])
        links.new(turned.outputs["Vector"], thin.inputs["Vector"])
        position = thin.outputs["Vector"]
    if look.pattern == "speckled":
        cells = nodes.new("ShaderNodeTexVoronoi")
        cells.inputs["Scale"].default_value = 1.0 / look.width
        links.new(position, cells.inputs["Vector"])
        return cells.outputs["Color"]
    noise = nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 1.0 / look.width
    noise.inputs["Detail"].default_value, noise.inputs["Roughness"].default_value = 6.0, 0.65
    noise.inputs["Distortion"].default_value = 1.5 if look.pattern == "veined" else 0.0
    links.new(position, noise.inputs["Vector"])
    return noise.outputs["Fac"]


def _grain(obj: Any) -> Vector:
    """Return the direction of the fibres in the object's space."""
    return (obj.matrix_world.to_3x3().inverted_safe() @ Vector(materials.grain_of(obj))).normalized()
