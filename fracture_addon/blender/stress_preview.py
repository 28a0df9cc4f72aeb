"""Temporary objects that show what went on in an object while it was struck, one "<object> Stress" as its child.

Its mesh is the object's surface with both sides of every crack. From the frame of the blow on it shows a moment of the
blow a frame, much slower than it was: geometry nodes take positions and stress from a table, a second mesh in no
collection. What the nodes leave on the mesh is there for materials, other nodes, and the viewport's Color > Attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..core.data.stress import NO_CRACK, Stresses, StruckBody
from . import materials, previews
from .node_groups import Nodes, Table, add_modifier
from .write_mesh import add_attribute, new_mesh, new_points

# Attributes: Pa of the points, its colour, and faces that a crack has opened so far, with the moment of that.
STRESS, COLOR, CRACK, MOMENT = "fracture_stress", "fracture_stress_color", "fracture_crack", "fracture_crack_moment"
# On the object: seconds of each moment since the blow began, the first frame, and the strength, Pa.
TIMES, START, STRENGTH = "fracture_stress_times", "fracture_stress_start", "fracture_strength"
GROUP = "Fracture Stress"
# Shares of the strength, and their colours.
LEVELS = (
    (0.0, (0.015, 0.03, 0.25, 1.0)),
    (0.25, (0.01, 0.25, 0.6, 1.0)),
    (0.5, (0.05, 0.55, 0.15, 1.0)),
    (0.75, (0.9, 0.65, 0.02, 1.0)),
    (1.0, (0.8, 0.02, 0.01, 1.0)),
)
CRACK_COLOR = (0.02, 0.0, 0.02, 1.0)
# Motion is drawn so much larger that most of it comes to this share of the object's diagonal.
SEEN, MOST = 0.02, 90.0


def show(context, objects: Sequence[bpy.types.Object], stresses: Stresses) -> None:
    """Show what went on in some objects, in place of earlier previews.

    Args:
        context: Of the scene that the run is of.
        objects: One a body, in its order.
        stresses: What went on in them.
    """
    scene = context.scene
    previews.remove(objects)
    places = previews.own_spaces(context, objects)
    for obj, body, place in zip(objects, stresses.bodies, places, strict=True):
        if body is not None:
            _add(scene, obj, body, place)


def exaggeration(body: StruckBody) -> float:
    """How many times larger than it was motion is drawn, so that it can be seen: never smaller."""
    window = body.window
    moves = np.linalg.norm(window.points - window.rest, axis=2)
    diagonal = float(np.linalg.norm(np.ptp(window.rest, axis=0)))
    return max(1.0, float(SEEN * diagonal / max(np.percentile(moves.max(axis=0), MOST), 1e-12)))


def _add(scene: bpy.types.Scene, obj: bpy.types.Object, body: StruckBody, place: np.ndarray) -> None:
    name, window = f"{obj.name} Stress", body.window

    def own(points: np.ndarray) -> np.ndarray:
        return points @ place[:3, :3].T + place[:3, 3]

    mesh = new_mesh(name, own(window.rest), window.faces)
    add_attribute(mesh, MOMENT, "INT", "FACE", window.crack)
    add_attribute(mesh, STRESS, "FLOAT", "POINT", window.stress[0])
    add_attribute(mesh, CRACK, "BOOLEAN", "FACE", np.zeros(len(window.faces), bool))
    add_attribute(mesh, COLOR, "FLOAT_COLOR", "CORNER", np.tile(LEVELS[0][1], (3 * len(window.faces), 1)))
    # Flat: shading that is smooth over a face shows the seams of cracks that are closed yet.
    add_attribute(mesh, "sharp_face", "BOOLEAN", "FACE", np.ones(len(window.faces), bool))
    mesh.color_attributes.active_color_name = COLOR
    mesh.materials.append(_material())
    table = new_points(f"{name} Moments", own(window.points.reshape(-1, 3)))
    add_attribute(table, STRESS, "FLOAT", "POINT", window.stress.ravel())
    result = bpy.data.objects.new(name, mesh)
    values = {"Moments": bpy.data.objects.new(table.name, table), "Start": body.frame, "Strength": body.strength}
    add_modifier(result, GROUP, _build, Exaggeration=exaggeration(body), **values)
    result[TIMES], result[START], result[STRENGTH] = window.times.tolist(), body.frame, body.strength
    previews.add(scene, obj, result, "Stress preview")


def _material() -> bpy.types.Material:
    """One that shows the colour of the stress."""
    result = materials.plain("Fracture Stress", LEVELS[0][1], 0.7)
    result[materials.MADE] = True
    nodes, links = result.node_tree.nodes, result.node_tree.links
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = COLOR
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    links.new(attribute.outputs["Color"], shader.inputs["Base Color"])
    return result


def _build(nodes: Nodes) -> None:
    for name, kind in (("Moments", "Object"), ("Start", "Int"), ("Exaggeration", "Float"), ("Strength", "Float")):
        nodes.input(name, kind)
    mesh = nodes.given("Geometry")
    moments = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Moments")}, "Geometry")
    table = Table(nodes, mesh, moments, nodes.given("Start"))
    position = nodes.add("GeometryNodeInputPosition")
    there = table.at_frame(position, "FLOAT_VECTOR", "VECTOR")
    stress = table.at_frame(nodes.named(STRESS, "FLOAT"), "FLOAT", "FLOAT")
    move = nodes.vector("SUBTRACT", there, position)
    larger = nodes.vector("SCALE", move, nodes.given("Exaggeration"))
    # Values first: a field is asked for where the points are by then.
    mesh = nodes.store(mesh, STRESS, "FLOAT", "POINT", stress)
    mesh = nodes.add("GeometryNodeSetPosition", {0: mesh, "Offset": larger})
    moment = nodes.named(MOMENT, "INT")
    since = nodes.math("GREATER_THAN", nodes.math("ADD", table.row, 0.5), moment)
    is_crack = nodes.math("MULTIPLY", since, nodes.math("GREATER_THAN", moment, float(NO_CRACK) + 0.5))
    mesh = nodes.store(mesh, CRACK, "BOOLEAN", "FACE", is_crack)
    share = nodes.math("DIVIDE", nodes.named(STRESS, "FLOAT"), nodes.given("Strength"))
    ramp = nodes.add("ShaderNodeValToRGB", {0: share})
    stops = ramp.node.color_ramp.elements
    for level, _ in LEVELS[1:-1]:
        stops.new(level)
    for stop, (_, color) in zip(stops, LEVELS, strict=True):
        stop.color = color
    shade = nodes.mix("RGBA", nodes.named(CRACK, "FLOAT"), ramp, CRACK_COLOR)
    nodes.end(nodes.store(mesh, COLOR, "FLOAT_COLOR", "CORNER", shade))
