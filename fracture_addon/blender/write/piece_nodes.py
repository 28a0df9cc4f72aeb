"""Node groups that show many fragments as one object: each is an instance, at its pose on the scene's frame.

One group splits a mesh into parts by a face attribute. Its object has no animation, so Blender evaluates it once. The
other group moves the parts by a table of poses. Renders and exports get one mesh instead of instances, because
exporters skip instances that are not objects. Before Blender 4.5, a split mesh loses its custom normals; there the one
mesh is the whole mesh with its points moved.
"""

from __future__ import annotations

from typing import Any

import bpy

from .node_groups import Nodes, Table, add_modifier

# Attributes that the groups read: on the faces of the parts, on the points, and on the table of poses.
PART = "fracture_part"
BIRTH, DEATH = "fracture_birth_frame", "fracture_death_frame"
ROTATION = "rotation"
PARTS_GROUP, PIECES_GROUP, MOVED_GROUP = "Fracture Parts", "Fracture Pieces", "Fracture Moved Pieces"


def add_parts_modifier(obj: bpy.types.Object) -> None:
    """Add a modifier that splits an object into instances by the face attribute ``PART``."""
    add_modifier(obj, PARTS_GROUP, _build_parts)


def add_pieces_modifier(
    obj: bpy.types.Object,
    parts: bpy.types.Object,
    poses: bpy.types.Object,
    frame_start: int,
    whole: bpy.types.Object | None = None,
) -> None:
    """Add a modifier that shows N fragments to an object of N points.

    Args:
        obj: Object whose points have the attributes ``BIRTH`` and ``DEATH``: the first frame with the fragment, and the
            first frame without it.
        parts: Object with a parts modifier and N parts.
        poses: Object with one point per pose and the attribute ``ROTATION``: N poses of the first frame, then N of the
            second, and so on.
        frame_start: Frame of the first N poses.
        whole: Object with the mesh of ``parts`` and no modifier; needed if a split mesh loses its normals.
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
    """Add the nodes that put the parts at their poses."""
    for name, kind in (("Parts", "Object"), ("Poses", "Object"), ("Start", "Int")):
        nodes.input(name, kind)
    parts = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Parts")}, "Geometry")
    pose = dict(enumerate(_poses(nodes, points)))
    transform = nodes.add("FunctionNodeCombineTransform", pose)
    # Keep the number of nodes small: each node that handles instances costs time per instance and attribute.
    return nodes.add("GeometryNodeSetInstanceTransform", {0: parts, "Transform": transform})


def _end(nodes: Nodes, instances: bpy.types.NodeSocket, real: bpy.types.NodeSocket) -> None:
    shown = {0: nodes.add("GeometryNodeIsViewport"), 1: real, 2: instances}
    nodes.end(nodes.add("GeometryNodeSwitch", shown, input_type="GEOMETRY"))


def _poses(
    nodes: Nodes, points: bpy.types.NodeSocket, piece: bpy.types.NodeSocket | None = None
) -> tuple[bpy.types.NodeSocket, ...]:
    """Return position, rotation and size of a fragment on the scene's frame; by default of the evaluated point."""
    poses = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Poses")}, "Geometry")
    table = Table(nodes, points, poses, nodes.given("Start"), piece)
    frame, index = table.frame, table.index

    def of_piece(name: str, data_type: str) -> Any:
        """Return an attribute of the fragment's point."""
        value = {0: points, "Value": nodes.named(name, data_type), "Index": index}
        return nodes.add("GeometryNodeSampleIndex", value, data_type=data_type)

    position = table.at_frame(nodes.add("GeometryNodeInputPosition"), "FLOAT_VECTOR", "VECTOR")
    rotation = table.at_frame(nodes.named(ROTATION, "QUATERNION"), "QUATERNION", "ROTATION")
    born = nodes.math("SUBTRACT", 1.0, nodes.math("LESS_THAN", frame, of_piece(BIRTH, "INT")))
    # Hide a fragment by size 0: motion blur and caches need the same number of instances on every frame.
    size = nodes.math("MULTIPLY", born, nodes.math("LESS_THAN", frame, of_piece(DEATH, "INT")))
    return position, rotation, size
