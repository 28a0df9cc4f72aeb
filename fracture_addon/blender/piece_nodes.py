"""Node groups that show many pieces as one object: each an instance, at its pose of the scene's frame.

One group splits a mesh into its parts, by a number on its faces; it stands on an object that nothing animates, so that
it is evaluated once. The other moves these parts, a row of a table of poses a frame. Whoever evaluates for a render or
an export gets one mesh instead of instances: exporters leave out instances that are no objects.
"""

from __future__ import annotations

import bpy

from .node_groups import Nodes, Table, add_modifier

# Attributes that the groups read: of the parts' faces, of the points, and of the table of poses.
PART = "fracture_part"
BIRTH, DEATH = "fracture_birth_frame", "fracture_death_frame"
ROTATION = "rotation"
PARTS_GROUP, PIECES_GROUP = "Fracture Parts", "Fracture Pieces"


def add_parts_modifier(obj: bpy.types.Object) -> None:
    """Let an object come apart into instances by the face attribute ``PART``."""
    add_modifier(obj, PARTS_GROUP, _build_parts)


def add_pieces_modifier(
    obj: bpy.types.Object, parts: bpy.types.Object, poses: bpy.types.Object, frame_start: int
) -> None:
    """Let an object of N points, one a piece, show the pieces.

    Args:
        obj: Its points have ``BIRTH`` and ``DEATH``, the first frame on which a piece is there, and is there no more.
        parts: With a parts modifier, and N parts.
        poses: Its mesh has a point a pose, of N pieces on the first frame, then on the second, and so on, and their
            ``ROTATION``.
        frame_start: Of the first N poses.
    """
    add_modifier(obj, PIECES_GROUP, _build_pieces, Parts=parts, Poses=poses, Start=frame_start)


def _build_parts(nodes: Nodes) -> None:
    geometry = {0: nodes.given("Geometry"), "Group ID": nodes.named(PART, "INT")}
    nodes.end(nodes.add("GeometryNodeSplitToInstances", geometry, domain="FACE"))


def _build_pieces(nodes: Nodes) -> None:
    for name in ("Parts", "Poses"):
        nodes.input(name, "Object")
    nodes.input("Start", "Int")
    points = nodes.given("Geometry")
    parts = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Parts")}, "Geometry")
    poses = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Poses")}, "Geometry")
    table = Table(nodes, points, poses, nodes.given("Start"))
    frame, index = table.frame, table.index

    def of_piece(name, data_type):
        """An attribute of the points, at the piece's own row."""
        value = {0: points, "Value": nodes.named(name, data_type), "Index": index}
        return nodes.add("GeometryNodeSampleIndex", value, data_type=data_type)

    position = table.at_frame(nodes.add("GeometryNodeInputPosition"), "FLOAT_VECTOR", "VECTOR")
    rotation = table.at_frame(nodes.named(ROTATION, "QUATERNION"), "QUATERNION", "ROTATION")
    born = nodes.math("SUBTRACT", 1.0, nodes.math("LESS_THAN", frame, of_piece(BIRTH, "INT")))
    # Out of sight at no size: with as many pieces on every frame, motion blur and caches find each of them again.
    size = nodes.math("MULTIPLY", born, nodes.math("LESS_THAN", frame, of_piece(DEATH, "INT")))
    transform = nodes.add("FunctionNodeCombineTransform", {0: position, 1: rotation, 2: size})
    # Few nodes here: each that instances pass through costs time a piece and an attribute.
    instances = nodes.add("GeometryNodeSetInstanceTransform", {0: parts, "Transform": transform})
    real = nodes.add("GeometryNodeRealizeInstances", {0: instances})
    shown = {0: nodes.add("GeometryNodeIsViewport"), 1: real, 2: instances}
    nodes.end(nodes.add("GeometryNodeSwitch", shown, input_type="GEOMETRY"))
