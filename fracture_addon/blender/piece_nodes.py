"""Node groups that show many pieces as one object: each an instance, at its pose of the scene's frame.

One group splits a mesh into its parts, by a number on its faces; it stands on an object that nothing animates, so that
it is evaluated once. The other moves these parts, a row of a table of poses a frame. Whoever evaluates for a render or
an export gets one mesh instead of instances: exporters leave out instances that are no objects.
"""

from __future__ import annotations

import bpy

# Attributes that the groups read: of the parts' faces, of the points, and of the table of poses.
PART = "fracture_part"
BIRTH, DEATH = "fracture_birth_frame", "fracture_death_frame"
ROTATION = "rotation"
# On a group that we made.
MADE = "fracture_made"
PARTS_GROUP, PIECES_GROUP = "Fracture Parts", "Fracture Pieces"
# Inputs that are objects.
HELPERS = ("Parts", "Poses")
# Sockets of a data type in nodes that have a set of sockets a type.
MIX_SUFFIX = {"VECTOR": "Vector", "ROTATION": "Rotation"}


def add_parts_modifier(obj: bpy.types.Object) -> None:
    """Let an object come apart into instances by the face attribute ``PART``."""
    obj.modifiers.new(PARTS_GROUP, "NODES").node_group = _group(PARTS_GROUP, _build_parts)


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
    modifier = obj.modifiers.new(PIECES_GROUP, "NODES")
    group = modifier.node_group = _group(PIECES_GROUP, _build_pieces)
    values = {**dict(zip(HELPERS, (parts, poses), strict=True)), "Start": frame_start}
    for socket in group.interface.items_tree:
        if socket.name in values:
            _set_input(modifier, socket.identifier, values[socket.name])


def helpers_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that a pieces modifier of an object takes its parts and poses from."""
    found = []
    for modifier in obj.modifiers:
        if modifier.type == "NODES" and modifier.node_group and modifier.node_group.get(MADE) == PIECES_GROUP:
            sockets = modifier.node_group.interface.items_tree
            found += [_input(modifier, socket.identifier) for socket in sockets if socket.name in HELPERS]
    return [helper for helper in found if helper is not None]


def remove_unused() -> None:
    """Remove the groups that no object uses any more."""
    bpy.data.batch_remove([group for group in bpy.data.node_groups if MADE in group and not group.users])


def _input(modifier: bpy.types.Modifier, identifier: str):
    """The value of a modifier's input: a property of its own in 5.2, and a custom property before that."""
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier.get(identifier)


def _set_input(modifier: bpy.types.Modifier, identifier: str, value) -> None:
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value


def _group(name: str, build) -> bpy.types.NodeTree:
    """The group of a name that we made, built where the file has none."""
    group = next((item for item in bpy.data.node_groups if item.get(MADE) == name), None)
    if group is None:
        group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        group.is_modifier, group[MADE] = True, name
        build(_Nodes(group))
    assert group is not None  # a new one is there
    return group


class _Nodes:
    """Adds nodes to a group, and links them as they are added."""

    def __init__(self, group: bpy.types.NodeTree):
        self.group = group
        for in_out in ("INPUT", "OUTPUT"):
            self.input("Geometry", "Geometry", in_out)

    def input(self, name: str, kind: str, in_out: str = "INPUT") -> None:
        """Add a socket to the group's interface."""
        self.group.interface.new_socket(name, in_out=in_out, socket_type=f"NodeSocket{kind}")

    def add(self, kind: str, inputs=None, output: int | str = 0, **properties) -> bpy.types.NodeSocket:
        """A node with values or sockets at its inputs, by name or number; returns one of its outputs."""
        node = self.group.nodes.new(kind)
        # The last column is the newest: the group can be read from left to right.
        node.location.x = 180.0 * len(self.group.nodes)
        for name, value in properties.items():
            setattr(node, name, value)
        for key, value in (inputs or {}).items():
            socket = node.inputs[key]
            if isinstance(value, bpy.types.NodeSocket):
                self.group.links.new(value, socket)
            else:
                socket.default_value = value
        return node.outputs[output]

    def given(self, name: str) -> bpy.types.NodeSocket:
        """An input of the group."""
        return self.add("NodeGroupInput", output=name)

    def end(self, geometry: bpy.types.NodeSocket) -> None:
        """The group's result."""
        self.group.links.new(geometry, self.group.nodes.new("NodeGroupOutput").inputs[0])

    def named(self, name: str, data_type: str) -> bpy.types.NodeSocket:
        """A named attribute."""
        return self.add("GeometryNodeInputNamedAttribute", {0: name}, data_type=data_type)

    def math(self, operation: str, *values) -> bpy.types.NodeSocket:
        """A number from numbers."""
        return self.add("ShaderNodeMath", dict(enumerate(values)), operation=operation)

    def whole(self, operation: str, *values) -> bpy.types.NodeSocket:
        """A whole number from whole numbers."""
        return self.add("FunctionNodeIntegerMath", dict(enumerate(values)), operation=operation)

    def mix(self, data_type: str, share, first, second) -> bpy.types.NodeSocket:
        """Between two values; rotations along the shortest arc."""
        node = self.add("ShaderNodeMix", data_type=data_type).node
        suffix = MIX_SUFFIX[data_type]
        by_identifier = {socket.identifier: socket for socket in (*node.inputs, *node.outputs)}
        for name, value in (("Factor_Float", share), (f"A_{suffix}", first), (f"B_{suffix}", second)):
            self.group.links.new(value, by_identifier[name])
        return by_identifier[f"Result_{suffix}"]


def _build_parts(nodes: _Nodes) -> None:
    geometry = {0: nodes.given("Geometry"), "Group ID": nodes.named(PART, "INT")}
    nodes.end(nodes.add("GeometryNodeSplitToInstances", geometry, domain="FACE"))


def _build_pieces(nodes: _Nodes) -> None:
    for name in HELPERS:
        nodes.input(name, "Object")
    nodes.input("Start", "Int")
    points = nodes.given("Geometry")
    parts = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Parts")}, "Geometry")
    poses = nodes.add("GeometryNodeObjectInfo", {0: nodes.given("Poses")}, "Geometry")
    count = nodes.add("GeometryNodeAttributeDomainSize", {0: points})
    pose_count = nodes.add("GeometryNodeAttributeDomainSize", {0: poses})
    frame = nodes.add("GeometryNodeInputSceneTime", output="Frame")
    last = nodes.whole("SUBTRACT", nodes.whole("DIVIDE", pose_count, count), 1)
    row = nodes.math("SUBTRACT", frame, nodes.given("Start"))
    row = nodes.math("MINIMUM", nodes.math("MAXIMUM", row, 0.0), last)
    # Between frames (motion blur), poses are mixed.
    low, share = nodes.math("FLOOR", row), nodes.math("FRACT", row)
    high = nodes.math("MINIMUM", nodes.math("ADD", low, 1.0), last)
    index = nodes.add("GeometryNodeInputIndex")

    def pose(value, data_type, mixed_type):
        found = []
        for frame_row in (low, high):
            place = nodes.whole("MULTIPLY_ADD", frame_row, count, index)
            sampled = {0: poses, "Value": value, "Index": place}
            found.append(nodes.add("GeometryNodeSampleIndex", sampled, data_type=data_type))
        return nodes.mix(mixed_type, share, *found)

    def of_piece(name, data_type):
        """An attribute of the points, at the piece's own row."""
        value = {0: points, "Value": nodes.named(name, data_type), "Index": index}
        return nodes.add("GeometryNodeSampleIndex", value, data_type=data_type)

    position = pose(nodes.add("GeometryNodeInputPosition"), "FLOAT_VECTOR", "VECTOR")
    rotation = pose(nodes.named(ROTATION, "QUATERNION"), "QUATERNION", "ROTATION")
    born = nodes.math("SUBTRACT", 1.0, nodes.math("LESS_THAN", frame, of_piece(BIRTH, "INT")))
    # Out of sight at no size: with as many pieces on every frame, motion blur and caches find each of them again.
    size = nodes.math("MULTIPLY", born, nodes.math("LESS_THAN", frame, of_piece(DEATH, "INT")))
    transform = nodes.add("FunctionNodeCombineTransform", {0: position, 1: rotation, 2: size})
    # Few nodes here: each that instances pass through costs time a piece and an attribute.
    instances = nodes.add("GeometryNodeSetInstanceTransform", {0: parts, "Transform": transform})
    real = nodes.add("GeometryNodeRealizeInstances", {0: instances})
    shown = {0: nodes.add("GeometryNodeIsViewport"), 1: real, 2: instances}
    nodes.end(nodes.add("GeometryNodeSwitch", shown, input_type="GEOMETRY"))
