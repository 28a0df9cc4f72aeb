"""Where a camera has to be to see some points, and no more than needed around them."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

# The picture over what is in it.
MARGIN = 1.05


def aim(scene: bpy.types.Scene, points: np.ndarray, view: Vector, size: tuple[int, int], lens: float) -> None:
    """Put the scene's camera where it sees points.

    Args:
        scene: Gets a camera of its own.
        points: (N, 3), scene units.
        view: Unit vector from them towards the camera.
        size: Pixels of the picture.
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
    # Each point asks for a camera of its own distance on either side: the nearest place that suits all of them.
    rises, falls = (seen[:, 2:] + sign * seen[:, :2] / slopes for sign in (1.0, -1.0))
    middle = 0.5 * (rises.max(axis=0) - falls.max(axis=0)) * slopes
    distance = float((0.5 * (rises.max(axis=0) + falls.max(axis=0))).max())
    camera.location = Vector((axes @ [*middle, distance]).tolist())
    camera.rotation_euler = turn.to_euler()
    extent = float(np.ptp(seen, axis=0).max())
    data.clip_start, data.clip_end = 0.01 * extent, 1000.0 * extent
    scene.camera = camera
