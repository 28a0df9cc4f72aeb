"""Building node groups, and what modifiers with groups of ours hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

# On a group that we made.
MADE = "fracture_made"
# Sockets of a data type in nodes that have a set of sockets a type.
MIX_SUFFIX = {"FLOAT": "Float", "VECTOR": "Vector", "ROTATION": "Rotation", "RGBA": "Color"}


class Nodes:
    """Adds nodes to a group, and links them as they are added."""

    def __init__(self, group: bpy.types.NodeTree):
        self.group: Any = group
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

    def vector(self, operation: str, first, second) -> bpy.types.NodeSocket:
        """A vector from two, or from one and a number that scales it."""
        inputs = {0: first, "Scale" if operation == "SCALE" else 1: second}
        return self.add("ShaderNodeVectorMath", inputs, operation=operation)

    def store(self, geometry, name: str, data_type: str, domain: str, value) -> bpy.types.NodeSocket:
        """Geometry with values as a named attribute."""
        inputs = {0: geometry, "Name": name, "Value": value}
        return self.add("GeometryNodeStoreNamedAttribute", inputs, data_type=data_type, domain=domain)

    def mix(self, data_type: str, share, first, second) -> bpy.types.NodeSocket:
        """Between two values; rotations along the shortest arc."""
        node = self.add("ShaderNodeMix", data_type=data_type).node
        suffix = MIX_SUFFIX[data_type]
        by_identifier = {socket.identifier: socket for socket in (*node.inputs, *node.outputs)}
        for name, value in (("Factor_Float", share), (f"A_{suffix}", first), (f"B_{suffix}", second)):
            socket = by_identifier[name]
            if isinstance(value, bpy.types.NodeSocket):
                self.group.links.new(value, socket)
            else:
                socket.default_value = value
        return by_identifier[f"Result_{suffix}"]


class Table:
    """Values of N points on each of T frames: a mesh of T N points, those of the first frame first.

    Attributes:
        frame: Of the scene.
        row: Of the table, as a number between the first and the last.
        index: Of the point that is looked at.
    """

    def __init__(
        self,
        nodes: Nodes,
        points: bpy.types.NodeSocket,
        table: bpy.types.NodeSocket,
        start: bpy.types.NodeSocket,
        index: bpy.types.NodeSocket | None = None,
    ):
        """``points`` is the geometry whose values ``table`` has from frame ``start`` on; ``index`` its own rows."""
        self._nodes, self._table = nodes, table
        self._count = nodes.add("GeometryNodeAttributeDomainSize", {0: points})
        size = nodes.add("GeometryNodeAttributeDomainSize", {0: table})
        self.frame = nodes.add("GeometryNodeInputSceneTime", output="Frame")
        last = nodes.whole("SUBTRACT", nodes.whole("DIVIDE", size, self._count), 1)
        row = nodes.math("SUBTRACT", self.frame, start)
        self.row = nodes.math("MINIMUM", nodes.math("MAXIMUM", row, 0.0), last)
        # Between frames (motion blur), values are mixed.
        self._low, self._share = nodes.math("FLOOR", self.row), nodes.math("FRACT", self.row)
        self._high = nodes.math("MINIMUM", nodes.math("ADD", self._low, 1.0), last)
        self.index = index or nodes.add("GeometryNodeInputIndex")

    def at_frame(self, value: bpy.types.NodeSocket, data_type: str, mixed_type: str) -> bpy.types.NodeSocket:
        """A value of the table's points for each point, on the scene's frame."""
        found = []
        for row in (self._low, self._high):
            place = self._nodes.whole("MULTIPLY_ADD", row, self._count, self.index)
            sampled = {0: self._table, "Value": value, "Index": place}
            found.append(self._nodes.add("GeometryNodeSampleIndex", sampled, data_type=data_type))
        return self._nodes.mix(mixed_type, self._share, *found)


def group_of(name: str, build: Callable[[Nodes], None]) -> bpy.types.NodeTree:
    """The group of a name that we made, built where the file has none."""
    group = next((item for item in bpy.data.node_groups if item.get(MADE) == name), None)
    if group is None:
        group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        assert group is not None  # a new one is there
        group.is_modifier, group[MADE] = True, name
        build(Nodes(group))
    return group


def add_modifier(obj: bpy.types.Object, name: str, build: Callable[[Nodes], None], **values) -> None:
    """Give an object a modifier with a group of ours, and the group's inputs their values by name."""
    modifier: Any = obj.modifiers.new(name, "NODES")
    group = modifier.node_group = group_of(name, build)
    for socket in group.interface.items_tree:
        if socket.name in values:
            _set_input(modifier, socket.identifier, values[socket.name])


def helpers_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that modifiers of an object with groups of ours take something from."""
    found = []
    for modifier in obj.modifiers:
        if modifier.type == "NODES" and modifier.node_group and MADE in modifier.node_group:
            sockets = modifier.node_group.interface.items_tree
            found += [
                _input(modifier, item.identifier)
                for item in sockets
                if getattr(item, "socket_type", "") == "NodeSocketObject"
            ]
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
