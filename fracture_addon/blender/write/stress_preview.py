"""Stress preview: a temporary child object "<object> Stress" that shows stress and cracks during an impact.

Its mesh is the object's surface with both faces of every crack. From the frame of the impact on, each frame shows one
moment of the impact, in slow motion: geometry nodes read positions and stress from a table, a second mesh in no
collection. Materials, other nodes and the viewport's Color > Attribute can use the attributes of the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.stress_window import NO_CRACK, BodyStress, Stresses
from ...core.numerics.rotations import transformed
from ..read import settings
from ..scene.result_lookup import START, STRENGTH, TIMES
from . import cell_preview, materials
from .mesh import add_attribute, new_mesh, new_points
from .node_groups import Nodes, Table, add_modifier

# Attributes: stress of the points, Pa; its colour; faces of open cracks; the moment at which each crack face opens; the
# local strength, Pa.
STRESS, COLOR, CRACK, MOMENT = "fracture_stress", "fracture_stress_color", "fracture_crack", "fracture_crack_moment"
LOCAL_STRENGTH = "fracture_local_strength"
GROUP = "Fracture Stress"
# Stress as a fraction of the local strength, and its colour. Each level is at least twice the one before, because most
# of a struck body has less than a quarter of the stress at the contact. A matter of taste.
LEVELS = (
    (0.0, (0.015, 0.03, 0.25, 1.0)),
    (0.1, (0.01, 0.25, 0.6, 1.0)),
    (0.25, (0.05, 0.55, 0.15, 1.0)),
    (0.5, (0.9, 0.65, 0.02, 1.0)),
    (1.0, (0.8, 0.02, 0.01, 1.0)),
)
CRACK_COLOR = (0.02, 0.0, 0.02, 1.0)
# Motion is scaled so that its percentile MOST is the fraction SEEN of the diagonal. A matter of taste: stress and
# cracks do not depend on it. The percentile leaves out points of small fragments that fly away.
SEEN, MOST = 0.02, 90.0
# Motion below so many times the rounding of the points is no motion: cells of a network do not move before they break.
# Enlarged, it would be spikes. Rounding moves a point by up to sqrt(3) / 2 of it.
ROUNDINGS = 16.0


def show(context: Any, objects: Sequence[bpy.types.Object], stresses: Stresses) -> None:
    """Add the stress previews of some objects, in place of earlier previews.

    Args:
        context: Context of the run's scene.
        objects: One per body, in the order of the bodies.
        stresses: Their stress and cracks.
    """
    scene = context.scene
    cell_preview.remove(objects)
    places = cell_preview.own_spaces(context, objects, settings.frame_range(scene)[0])
    for obj, body, place in zip(objects, stresses.bodies, places, strict=True):
        if body is not None:
            _add(scene, obj, body, place)


def exaggeration(body: BodyStress) -> float:
    """Return the factor, at least 1, by which the preview enlarges the motion to make it visible."""
    window = body.window
    moves = np.linalg.norm(window.points - window.rest, axis=2)
    diagonal = float(np.linalg.norm(np.ptp(window.rest, axis=0)))
    move = float(np.percentile(moves.max(axis=0), MOST))
    rounding = float(np.finfo(np.float32).eps * np.abs(window.rest).max())
    return max(1.0, SEEN * diagonal / move) if move > ROUNDINGS * rounding else 1.0


def _add(scene: bpy.types.Scene, obj: bpy.types.Object, body: BodyStress, place: np.ndarray) -> None:
    name, window = f"{obj.name} Stress", body.window
    mesh = new_mesh(name, transformed(window.rest, place), window.faces)
    add_attribute(mesh, MOMENT, "INT", "FACE", window.crack)
    add_attribute(mesh, STRESS, "FLOAT", "POINT", window.stress[0])
    add_attribute(mesh, LOCAL_STRENGTH, "FLOAT", "POINT", body.strength * body.factor)
    add_attribute(mesh, CRACK, "BOOLEAN", "FACE", np.zeros(len(window.faces), bool))
    add_attribute(mesh, COLOR, "FLOAT_COLOR", "CORNER", np.tile(LEVELS[0][1], (3 * len(window.faces), 1)))
    # Flat: smooth shading would show the seams of cracks that are still closed.
    add_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", np.ones(len(window.faces), bool))
    mesh.color_attributes.active_color_name = COLOR
    mesh.materials.append(_material())
    table = new_points(f"{name} Moments", transformed(window.points.reshape(-1, 3), place))
    add_attribute(table, STRESS, "FLOAT", "POINT", window.stress.ravel())
    result = bpy.data.objects.new(name, mesh)
    values = {"Moments": bpy.data.objects.new(table.name, table), "Start": body.frame}
    add_modifier(result, GROUP, _build, Exaggeration=exaggeration(body), **values)
    result[TIMES], result[START], result[STRENGTH] = window.times.tolist(), body.frame, body.strength
    cell_preview.add(scene, obj, result, "Stress preview")


def _material() -> bpy.types.Material:
    """Create a material that shows the colour of the stress."""
    result = materials.plain("Fracture Stress", LEVELS[0][1], 0.7)
    result[materials.MADE] = True
    tree: Any = result.node_tree
    nodes, links = tree.nodes, tree.links
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = COLOR
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    links.new(attribute.outputs["Color"], shader.inputs["Base Color"])
    return result


def _build(nodes: Nodes) -> None:
    for name, kind in (("Moments", "Object"), ("Start", "Int"), ("Exaggeration", "Float")):
        nodes.input(name, kind)
    mesh = nodes.given("Geometry")
    moments = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Moments")}, "Geometry")
    table = Table(nodes, mesh, moments, nodes.given("Start"))
    position = nodes.add("GeometryNodeInputPosition")
    there = table.at_frame(position, "FLOAT_VECTOR", "VECTOR")
    stress = table.at_frame(nodes.named(STRESS, "FLOAT"), "FLOAT", "FLOAT")
    move = nodes.vector("SUBTRACT", there, position)
    larger = nodes.vector("SCALE", move, nodes.given("Exaggeration"))
    # Store the values first: Blender evaluates a field at the current positions of the points.
    mesh = nodes.store(mesh, STRESS, "FLOAT", "POINT", stress)
    mesh = nodes.add("GeometryNodeSetPosition", {0: mesh, "Offset": larger})
    moment = nodes.named(MOMENT, "INT")
    since = nodes.math("GREATER_THAN", nodes.math("ADD", table.row, 0.5), moment)
    is_crack = nodes.math("MULTIPLY", since, nodes.math("GREATER_THAN", moment, float(NO_CRACK) + 0.5))
    mesh = nodes.store(mesh, CRACK, "BOOLEAN", "FACE", is_crack)
    share = nodes.math("DIVIDE", nodes.named(STRESS, "FLOAT"), nodes.named(LOCAL_STRENGTH, "FLOAT"))
    ramp = nodes.add("ShaderNodeValToRGB", {0: share})
    node: Any = ramp.node
    stops = node.color_ramp.elements
    for level, _ in LEVELS[1:-1]:
        stops.new(level)
    for stop, (_, color) in zip(stops, LEVELS, strict=True):
        stop.color = color
    shade = nodes.mix("RGBA", nodes.named(CRACK, "FLOAT"), ramp, CRACK_COLOR)
    nodes.end(nodes.store(mesh, COLOR, "FLOAT_COLOR", "CORNER", shade))
