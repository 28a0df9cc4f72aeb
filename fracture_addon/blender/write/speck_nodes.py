"""Node group that shows events as specks: dust that spreads and settles, or sparks that fly and go out.

Each event throws out specks in random directions; stronger events throw more of them. Everything follows from the
scene's frame, so any frame shows at once, without a simulation.
"""

from __future__ import annotations

from typing import Any

import bpy

from . import materials, node_groups
from .node_groups import Nodes

GROUP = "Fracture Specks"
# Values of the group, chosen by eye. Specks: number for an event of 1 J; it grows with the root of the energy. Speed:
# m/s. Drag: 1/s. Gravity: m/s2. Life: s. Size: m, of a young speck. Growth: size at the end over that at first.
LOOKS: dict[str, dict[str, float]] = {
    "DUST": {
        "Specks": 200,
        "Most": 1500,
        "Speed": 0.8,
        "Drag": 4.0,
        "Gravity": 0.25,
        "Life": 1.5,
        "Size": 0.002,
        "Growth": 0.2,
    },
    "SPARKS": {
        "Specks": 15,
        "Most": 120,
        "Speed": 4.0,
        "Drag": 1.0,
        "Gravity": 9.81,
        "Life": 0.5,
        "Size": 0.0015,
        "Growth": 0.0,
    },
}
# m, extent of the object for which the sizes were chosen. Those of a larger one grow with it: in the default view of a
# cube of 2 m, a spark of 1.5 mm is a sixth of a pixel wide.
LOOK_EXTENT = 0.3
# Values whose unit contains a length, which is converted to scene units.
LENGTHS = ("Speed", "Gravity", "Size")
# Colour of sparks, and strength of their emission. Chosen by eye.
SPARK_COLOR, SPARK_STRENGTH = (1.0, 0.3, 0.05, 1.0), 6.0


def add_modifier(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    look: str,
    frame_start: int,
    material: bpy.types.Material | None,
    extent: float,
) -> None:
    """Add the modifier that shows specks to an object of events.

    Args:
        scene: The scene, whose frame rate and unit apply.
        obj: Object of ``events.write_events``.
        look: A key of ``LOOKS``.
        frame_start: Frame at which the events' time is 0.
        material: Material of dust; sparks glow.
        extent: Largest extent of the object that breaks, scene units.
    """
    unit, rate = scene.unit_settings.scale_length, scene.render.fps / scene.render.fps_base
    values: dict[str, Any] = {name: value / unit if name in LENGTHS else value for name, value in LOOKS[look].items()}
    values["Size"] *= max(1.0, extent * unit / LOOK_EXTENT)
    shown = _glowing() if look == "SPARKS" else material
    mesh: Any = obj.data
    mesh.materials.append(shown)  # so that Clear removes it
    node_groups.add_modifier(obj, GROUP, _build, Start=frame_start, Rate=rate, Material=shown, **values)


def _build(nodes: Nodes) -> None:
    for name in LOOKS["DUST"]:
        nodes.input(name, "Int" if name == "Most" else "Float")
    nodes.input("Start", "Int")
    nodes.input("Rate", "Float")
    nodes.input("Material", "Material")
    given, math = nodes.given, nodes.math
    points = nodes.add("GeometryNodeMeshToPoints", {0: given("Geometry")})
    wanted = math("MULTIPLY", math("SQRT", nodes.named("energy", "FLOAT")), given("Specks"))
    amount = math("MINIMUM", wanted, given("Most"))
    many = nodes.add("GeometryNodeDuplicateElements", {0: points, "Amount": amount}, domain="POINT")
    frame = nodes.add("GeometryNodeInputSceneTime", output="Frame")
    now = math("DIVIDE", math("SUBTRACT", frame, given("Start")), given("Rate"))
    since = math("SUBTRACT", now, nodes.named("time", "FLOAT"))
    age = math("MINIMUM", math("MAXIMUM", since, 0.0), given("Life"))
    share = math("DIVIDE", age, given("Life"))
    alive = math("MULTIPLY", math("GREATER_THAN", since, 0.0), math("LESS_THAN", share, 1.0))
    # Random velocities: each component is between plus and minus the speed.
    low, high = (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)
    random = nodes.add("FunctionNodeRandomValue", {0: low, 1: high}, data_type="FLOAT_VECTOR")
    velocity = nodes.vector("SCALE", random, given("Speed"))
    # With drag d, a speck has gone v (1 - exp(-d t)) / d, and it falls at up to g / d.
    slowed = math("EXPONENT", math("MULTIPLY", math("MULTIPLY", age, given("Drag")), -1.0))
    gone = math("DIVIDE", math("SUBTRACT", 1.0, slowed), given("Drag"))
    fallen = math("DIVIDE", math("MULTIPLY", given("Gravity"), math("SUBTRACT", age, gone)), given("Drag"))
    down = nodes.add("ShaderNodeCombineXYZ", {2: math("MULTIPLY", fallen, -1.0)})
    offset = nodes.vector("ADD", nodes.vector("SCALE", velocity, gone), down)
    moved = nodes.add("GeometryNodeSetPosition", {0: many, "Offset": offset})
    grown = math("ADD", 1.0, math("MULTIPLY", share, math("SUBTRACT", given("Growth"), 1.0)))
    size = math("MULTIPLY", math("MULTIPLY", given("Size"), grown), alive)
    speck = nodes.add("GeometryNodeMeshIcoSphere", {"Radius": 1.0, "Subdivisions": 1})
    placed = {0: moved, "Instance": speck, "Scale": size}
    instances = nodes.add("GeometryNodeInstanceOnPoints", placed)
    nodes.end(nodes.add("GeometryNodeSetMaterial", {0: instances, "Material": given("Material")}))


def _glowing() -> bpy.types.Material:
    """Return the material of sparks; create it if the file has none."""
    name = "Fracture Sparks"
    found: Any = next((item for item in bpy.data.materials if item.get(materials.MADE) == name), None)
    if found is None:
        found = materials.plain(name, SPARK_COLOR, materials.ROUGHNESS)
        shader = found.node_tree.nodes["Principled BSDF"]
        shader.inputs["Emission Color"].default_value = SPARK_COLOR
        shader.inputs["Emission Strength"].default_value = SPARK_STRENGTH
        found[materials.MADE] = name
    return found
