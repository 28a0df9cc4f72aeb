"""Node groups that show many pieces as one object: each an instance, at its pose of the scene's frame.

One group splits a mesh into its parts, by a number on its faces; it stands on an object that nothing animates, so that
it is evaluated once. The other moves these parts, a row of a table of poses a frame. Whoever evaluates for a render or
an export gets one mesh instead of instances: exporters leave out instances that are no objects. Before 4.5 a mesh that
is split loses its custom normals, so this one mesh is then the whole, with its points moved.
"""

from __future__ import annotations

import bpy

from .node_groups import Nodes, Table, add_modifier

# Attributes that the groups read: of the parts' faces, of the points, and of the table of poses.
PART = "fracture_part"
BIRTH, DEATH = "fracture_birth_frame", "fracture_death_frame"
ROTATION = "rotation"
PARTS_GROUP, PIECES_GROUP, MOVED_GROUP = "Fracture Parts", "Fracture Pieces", "Fracture Moved Pieces"


def add_parts_modifier(obj: bpy.types.Object) -> None:
    """Let an object come apart into instances by the face attribute ``PART``."""
    add_modifier(obj, PARTS_GROUP, _build_parts)


def add_pieces_modifier(
    obj: bpy.types.Object,
    parts: bpy.types.Object,
    poses: bpy.types.Object,
    frame_start: int,
    whole: bpy.types.Object | None = None,
) -> None:
    """Let an object of N points, one a piece, show the pieces.

    Args:
        obj: Its points have ``BIRTH`` and ``DEATH``, the first frame on which a piece is there, and is there no more.
        parts: With a parts modifier, and N parts.
        poses: Its mesh has a point a pose, of N pieces on the first frame, then on the second, and so on, and their
            ``ROTATION``.
        frame_start: Of the first N poses.
        whole: Of the same mesh as ``parts`` without a modifier, where splitting it would cost its normals.
    """
    if whole is None:
        add_modifier(obj, PIECES_GROUP, _build_pieces, Parts=parts, Poses=poses, Start=frame_start)
    else:
        add_modifier(obj, MOVED_GROUP, _build_moved, Parts=parts, Poses=poses, Start=frame_start, Whole=whole)


def _build_parts(nodes: Nodes) -> None:
    geometry = {0: nodes.given("Geometry"), "Group ID": nodes.named(PART, "INT")}
    nodes.end(nodes.add("GeometryNodeSplitToInstances", geometry, domain="FACE"))


def _build_pieces(nodes: Nodes) -> None:
    instances = _instances(nodes, nodes.given("Geometry"))
    _end(nodes, instances, nodes.add("GeometryNodeRealizeInstances", {0: instances}))


def _build_moved(nodes: Nodes) -> None:
    points = nodes.given("Geometry")
    instances = _instances(nodes, points)
    nodes.input("Whole", "Object")
    whole = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Whole")}, "Geometry")
    position, rotation, size = _poses(nodes, points, nodes.named(PART, "INT"))
    scaled = nodes.vector("SCALE", nodes.add("GeometryNodeInputPosition"), size)
    turned = nodes.add("FunctionNodeRotateVector", {0: scaled, 1: rotation})
    moved = {0: whole, "Position": nodes.vector("ADD", turned, position)}
    _end(nodes, instances, nodes.add("GeometryNodeSetPosition", moved))


def _instances(nodes: Nodes, points: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    """The parts at their poses."""
    for name, kind in (("Parts", "Object"), ("Poses", "Object"), ("Start", "Int")):
        nodes.input(name, kind)
    parts = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Parts")}, "Geometry")
    pose = dict(enumerate(_poses(nodes, points)))
    transform = nodes.add("FunctionNodeCombineTransform", pose)
    # Few nodes here: each that instances pass through costs time a piece and an attribute.
    return nodes.add("GeometryNodeSetInstanceTransform", {0: parts, "Transform": transform})


def _end(nodes: Nodes, instances: bpy.types.NodeSocket, real: bpy.types.NodeSocket) -> None:
    shown = {0: nodes.add("GeometryNodeIsViewport"), 1: real, 2: instances}
    nodes.end(nodes.add("GeometryNodeSwitch", shown, input_type="GEOMETRY"))


def _poses(
    nodes: Nodes, points: bpy.types.NodeSocket, piece: bpy.types.NodeSocket | None = None
) -> tuple[bpy.types.NodeSocket, ...]:
    """Position, rotation and size of a piece on the scene's frame, by its row; by default that which is looked at."""
    poses = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Poses")}, "Geometry")
    table = Table(nodes, points, poses, nodes.given("Start"), piece)
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
    return position, rotation, size
