"""Everything in the file that an artist could see a change in, as plain values that compare."""

import bpy
import numpy as np

from fracture_addon.blender.scene import action_curves

BLOCKS = ("objects", "meshes", "materials", "actions", "collections", "armatures", "node_groups", "images", "curves")


def snapshot():
    """Names of all data, and for each object its place, visibility, animation, properties and mesh."""
    scene = bpy.context.scene
    blocks = {name: sorted(item.name for item in getattr(bpy.data, name)) for name in BLOCKS}
    objects = {obj.name: _object(obj) for obj in bpy.data.objects}
    links = {item.name: sorted(obj.name for obj in item.objects) for item in bpy.data.collections}
    world = scene.rigidbody_world
    return blocks, objects, links, scene.frame_current, scene.frame_subframe, world.enabled if world else None


def _object(obj):
    animation = obj.animation_data
    curves = drivers = None
    if animation is not None:
        action, slot = animation.action, getattr(animation, "action_slot", None)
        keys = {(curve.data_path, curve.array_index): _keys(curve) for curve in action_curves.curves_of(obj) or ()}
        curves = (action.name, action.users, slot and slot.identifier, keys) if action else None
        drivers = [(curve.data_path, curve.driver.expression, curve.mute) for curve in animation.drivers]
    values = {
        name: _plain(getattr(obj, name))
        for name in ("matrix_basis", "hide_viewport", "hide_render", "rotation_mode", "color")
    }
    return {
        **values,
        # Blender does not keep the place of what is hidden up to date.
        "place": None if obj.hide_viewport else _plain(obj.matrix_world),
        "hidden": obj.hide_get(),
        "selected": obj.select_get(),
        "animation": (animation is not None, curves, drivers),
        "constraints": [(item.name, item.mute) for item in obj.constraints],
        # Before 5.0 the settings are listed from the first time that anyone looks at them.
        "properties": sorted(set(obj.keys()) - {"fracture"}),
        "kinematic": obj.rigid_body.kinematic if obj.rigid_body else None,
        "mesh": _mesh(obj.data) if obj.type == "MESH" else None,
        "slots": [slot.name for slot in obj.material_slots],
        "groups": [group.name for group in obj.vertex_groups],
    }


def _keys(curve):
    return [(*point.co, point.interpolation) for point in curve.keyframe_points]


def _mesh(mesh):
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return mesh.name, mesh.users, points.tobytes(), [(item.name, item.data_type) for item in mesh.attributes]


def _plain(value):
    return np.array(value).tolist() if not isinstance(value, (bool, str)) else value
