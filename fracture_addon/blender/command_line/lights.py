"""Light a scene for its pictures: a warm sun, a cool one behind the bodies, and a sky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Vector

# All values are a matter of taste. Direction to the warm sun, which the shadows follow; its strength, W/m2, and the
# angle under which it is seen, radians, which softens the shadows.
SUN, SUN_STRENGTH, SUN_ANGLE = Vector((-0.8, -0.75, 1.1)), 2.6, 0.15
# The cool sun is behind the bodies, as seen by the camera, so high above the floor and so far to the left: edges and
# walls of glass shine, and the floor grows dark towards the camera.
RIM_HEIGHT, RIM_LEFT, RIM_STRENGTH, RIM_ANGLE = 0.42, 0.15, 1.5, 1.0
SKY = 0.36


def add_lights(scene: bpy.types.Scene, view: Vector) -> None:
    """Add two suns and a sky, which replaces the scene's own.

    Args:
        scene: The scene.
        view: Unit vector from the bodies towards the camera.
    """
    world: Any = bpy.data.worlds.new("Fracture World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.75, 0.85, 1.0, 1.0)
    background.inputs["Strength"].default_value = SKY
    scene.world = world
    _add_sun(scene, "Fracture Sun", SUN, SUN_STRENGTH, SUN_ANGLE, (1.0, 0.95, 0.88))
    left = Vector((view.y, -view.x, 0.0))
    behind = Vector((-view.x, -view.y, RIM_HEIGHT)) + RIM_LEFT * left
    _add_sun(scene, "Fracture Rim", behind, RIM_STRENGTH, RIM_ANGLE, (0.85, 0.92, 1.0))


def _add_sun(
    scene: bpy.types.Scene, name: str, direction: Vector, strength: float, angle: float, color: Sequence[float]
) -> None:
    sun: Any = bpy.data.lights.new(name, "SUN")
    sun.color, sun.energy, sun.angle = color, strength, angle
    lamp = bpy.data.objects.new(name, sun)
    lamp.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(lamp)
