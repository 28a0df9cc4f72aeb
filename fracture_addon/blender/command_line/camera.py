"""Place a camera so that some points fill its image."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

# Size of the image relative to the visible points: an edge of 2.4 % of the image on each side. A matter of taste.
MARGIN = 1.05


def aim(scene: bpy.types.Scene, points: np.ndarray, view: Vector, size: tuple[int, int], lens: float) -> None:
    """Add a camera that sees all points, and make it the scene's camera.

    Args:
        scene: The scene.
        points: (N, 3), scene units.
        view: Unit vector from the points towards the camera.
        size: Width and height of the image, pixels.
        lens: Focal length, millimetres.
    """
    data = bpy.data.cameras.new("Fracture Camera")
    data.lens = lens
    camera = bpy.data.objects.new("Fracture Camera", data)
    scene.collection.objects.link(camera)
    turn = view.to_track_quat("Z", "Y")
    axes = np.array(turn.to_matrix())
    seen = points @ axes
    slopes = 0.5 * data.sensor_width / data.lens * np.array([1.0, size[1] / size[0]]) / MARGIN
    # Each point sets a minimum distance of the camera per side. Choose the nearest position that satisfies all.
    rises, falls = (seen[:, 2:] + sign * seen[:, :2] / slopes for sign in (1.0, -1.0))
    middle = 0.5 * (rises.max(axis=0) - falls.max(axis=0)) * slopes
    distance = float((0.5 * (rises.max(axis=0) + falls.max(axis=0))).max())
    camera.location = Vector((axes @ [*middle, distance]).tolist())
    camera.rotation_euler = turn.to_euler()
    extent = float(np.ptp(seen, axis=0).max())
    data.clip_start, data.clip_end = 0.01 * extent, 1000.0 * extent
    scene.camera = camera


def sees(scene: Any, points: np.ndarray) -> bool:
    """Return whether all points (N, 3), scene units, are in the image of the scene's camera."""
    context: Any = bpy.context
    context.view_layer.update()
    seen = np.array([world_to_camera_view(scene, scene.camera, Vector(point)).to_tuple() for point in points.tolist()])
    return bool((seen[:, :2] >= 0.0).all() and (seen[:, :2] <= 1.0).all() and (seen[:, 2] > 0.0).all())
