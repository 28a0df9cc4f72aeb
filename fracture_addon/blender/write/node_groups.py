"""Building geometry node groups, and modifiers that use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

# Custom property on a generated group: its name when it was made.
MADE = "fracture_made"
# Suffix of socket identifiers in nodes that have one set of sockets per data type.
MIX_SUFFIX = {"FLOAT": "Float", "VECTOR": "Vector", "ROTATION": "Rotation", "RGBA": "Color"}


class Nodes:
    """Adds linked nodes to a group."""

    def __init__(self, group: bpy.types.NodeTree):
        self.group: Any = group
        for in_out in ("INPUT", "OUTPUT"):
            self.input("Geometry", "Geometry", in_out)

    def input(self, name: str, kind: str, in_out: str = "INPUT") -> None:
        """Add a socket to the group's interface."""
        self.group.interface.new_socket(name, in_out=in_out, socket_type=f"NodeSocket{kind}")

    def add(self, kind: str, inputs: Any = None, output: int | str = 0, **properties: Any) -> bpy.types.NodeSocket:
        """Add a node, and return one of its outputs.

        Args:
            kind: Type of the node.
            inputs: Values or sockets, by name or number of the input.
            output: Name or number of the output.
            properties: Properties of the node.
        """
        node = self.group.nodes.new(kind)
        # One column per node, so that the group reads from left to right.
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
        """Return an input of the group."""
        return self.add("NodeGroupInput", output=name)

    def end(self, geometry: bpy.types.NodeSocket) -> None:
        """Link the group's output."""
        self.group.links.new(geometry, self.group.nodes.new("NodeGroupOutput").inputs[0])

    def named(self, name: str, data_type: str) -> bpy.types.NodeSocket:
        """Add a node that reads a named attribute."""
        return self.add("GeometryNodeInputNamedAttribute", {0: name}, data_type=data_type)

    def math(self, operation: str, *values: Any) -> bpy.types.NodeSocket:
        """Add a Math node."""
        return self.add("ShaderNodeMath", dict(enumerate(values)), operation=operation)

    def integer_math(self, operation: str, *values: Any) -> bpy.types.NodeSocket:
        """Add an Integer Math node."""
        return self.add("FunctionNodeIntegerMath", dict(enumerate(values)), operation=operation)

    def vector(self, operation: str, first: Any, second: Any) -> bpy.types.NodeSocket:
        """Add a Vector Math node; for the operation SCALE, ``second`` is a number."""
        inputs = {0: first, "Scale" if operation == "SCALE" else 1: second}
        return self.add("ShaderNodeVectorMath", inputs, operation=operation)

    def store(self, geometry: Any, name: str, data_type: str, domain: str, value: Any) -> bpy.types.NodeSocket:
        """Add a node that stores values as a named attribute, and return the geometry."""
        inputs = {0: geometry, "Name": name, "Value": value}
        return self.add("GeometryNodeStoreNamedAttribute", inputs, data_type=data_type, domain=domain)

    def mix(self, data_type: str, share: Any, first: Any, second: Any) -> bpy.types.NodeSocket:
        """Add a Mix node. Rotations follow the shortest arc."""
        node: Any = self.add("ShaderNodeMix", data_type=data_type).node
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
    """Nodes that read a table of values of N points on T frames: a mesh of T N points, the first frame first.

    Attributes:
        frame: Socket with the scene's frame.
        row: Socket with the row of the table, a real number between the first and the last row.
        index: Socket with the number of the evaluated point.
    """

    def __init__(
        self,
        nodes: Nodes,
        points: bpy.types.NodeSocket,
        table: bpy.types.NodeSocket,
        start: bpy.types.NodeSocket,
        index: bpy.types.NodeSocket | None = None,
    ):
        """Add the nodes.

        Args:
            nodes: Group under construction.
            points: Geometry with N points.
            table: Geometry with T N points.
            start: Frame of the first row.
            index: Number of the point to read; by default that of the evaluated point.
        """
        self._nodes, self._table = nodes, table
        self._count = nodes.add("GeometryNodeAttributeDomainSize", {0: points})
        size = nodes.add("GeometryNodeAttributeDomainSize", {0: table})
        self.frame = nodes.add("GeometryNodeInputSceneTime", output="Frame")
        last = nodes.integer_math("SUBTRACT", nodes.integer_math("DIVIDE", size, self._count), 1)
        row = nodes.math("SUBTRACT", self.frame, start)
        self.row = nodes.math("MINIMUM", nodes.math("MAXIMUM", row, 0.0), last)
        # Interpolate between frames, for motion blur.
        self._low, self._share = nodes.math("FLOOR", self.row), nodes.math("FRACT", self.row)
        self._high = nodes.math("MINIMUM", nodes.math("ADD", self._low, 1.0), last)
        self.index = index or nodes.add("GeometryNodeInputIndex")

    def at_frame(self, value: bpy.types.NodeSocket, data_type: str, mixed_type: str) -> bpy.types.NodeSocket:
        """Return a value of the table for each point, on the scene's frame."""
        found = []
        for row in (self._low, self._high):
            place = self._nodes.integer_math("MULTIPLY_ADD", row, self._count, self.index)
            sampled = {0: self._table, "Value": value, "Index": place}
            found.append(self._nodes.add("GeometryNodeSampleIndex", sampled, data_type=data_type))
        return self._nodes.mix(mixed_type, self._share, *found)


def group_of(name: str, build: Callable[[Nodes], None]) -> bpy.types.NodeTree:
    """Return the generated group of a name; build it if the file has none."""
    group = next((item for item in bpy.data.node_groups if item.get(MADE) == name), None)
    if group is None:
        group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        assert group is not None  # the stubs allow None
        group.is_modifier, group[MADE] = True, name
        build(Nodes(group))
    return group


def add_modifier(obj: bpy.types.Object, name: str, build: Callable[[Nodes], None], **values: Any) -> None:
    """Add a modifier with a generated group to an object.

    Args:
        obj: The object.
        name: Name of the group and the modifier.
        build: Function that builds the group.
        values: Values of the group's inputs, by name.
    """
    modifier: Any = obj.modifiers.new(name, "NODES")
    group: Any = group_of(name, build)
    modifier.node_group = group
    for socket in group.interface.items_tree:
        if socket.name in values:
            _set_input(modifier, socket.identifier, values[socket.name])


def helpers_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the objects that an object's modifiers with generated groups use."""
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
    """Remove the generated groups that no object uses."""
    bpy.data.batch_remove([group for group in bpy.data.node_groups if MADE in group and not group.users])


def _input(modifier: Any, identifier: str) -> Any:
    """Return the value of a modifier's input: a property since Blender 5.2, a custom property before."""
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier.get(identifier)


def _set_input(modifier: Any, identifier: str, value: Any) -> None:
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value
