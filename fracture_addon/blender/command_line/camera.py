"""Place a camera so that what it shows fills its images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

# Size of the image relative to the visible points: an edge of 2.4 % of the image on each side. A matter of taste.
MARGIN = 1.05


def aim(
    scene: bpy.types.Scene, shots: Sequence[np.ndarray], view: Vector, size: tuple[int, int], lens: float
) -> list[Vector]:
    """Add a camera at the first of the places from which it sees each shot, and make it the scene's camera.

    It moves sideways between shots, so that each is in the middle of its image, and all have the same scale.

    Args:
        scene: The scene.
        shots: (N, 3), scene units, the points to be seen in each shot.
        view: Unit vector from the points towards the camera.
        size: Width and height of an image, pixels.
        lens: Focal length, millimetres.

    Returns:
        A place (3,) for each shot.
    """
    data = bpy.data.cameras.new("Fracture Camera")
    # By default the larger side of an image is as wide as the sensor.
    data.lens, data.sensor_fit = lens, "HORIZONTAL"
    camera = bpy.data.objects.new("Fracture Camera", data)
    scene.collection.objects.link(camera)
    turn = view.to_track_quat("Z", "Y")
    axes = np.array(turn.to_matrix())
    slopes = 0.5 * data.sensor_width / data.lens * np.array([1.0, size[1] / size[0]]) / MARGIN
    # Each point sets a minimum distance of the camera per side. Choose the nearest position that satisfies all.
    sides = []
    for points in shots:
        seen = points @ axes
        sides.append([(seen[:, 2:] + sign * seen[:, :2] / slopes).max(axis=0) for sign in (1.0, -1.0)])
    rises, falls = np.swapaxes(sides, 0, 1)
    distance = float((0.5 * (rises + falls)).max())
    middles = 0.5 * (rises - falls) * slopes
    places = [Vector((axes @ [*middle, distance]).tolist()) for middle in middles]
    camera.location, camera.rotation_euler = places[0], turn.to_euler()
    extent = float(np.ptp(np.concatenate(shots) @ axes, axis=0).max())
    data.clip_start, data.clip_end = 0.01 * extent, 1000.0 * extent
    scene.camera = camera
    return places


def sees(scene: Any, points: np.ndarray) -> bool:
    """Return whether all points (N, 3), scene units, are in the image of the scene's camera."""
    context: Any = bpy.context
    context.view_layer.update()
    seen = np.array([world_to_camera_view(scene, scene.camera, Vector(point)).to_tuple() for point in points.tolist()])
    return bool((seen[:, :2] >= 0.0).all() and (seen[:, :2] <= 1.0).all() and (seen[:, 2] > 0.0).all())
