"""Moves the 3D viewport back where objects that a tool has lifted would be out of sight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from mathutils import Vector

# Factor of the distance to the centre of the view in one step back, and the largest number of steps.
BACK, MOST_STEPS = 1.25, 30
# Free part of the viewport beside what is shown, as a share of its half height: Blender's header covers some of it.
MARGIN = 0.15


def show(context: Any, points: np.ndarray) -> None:
    """Let the viewport of the context show points, and leave it as it is where it does, or where a camera looks.

    Args:
        context: Context of a 3D viewport; of another one, nothing happens.
        points: (P, 3) places, scene units.
    """
    area = context.area
    if area is None or area.type != "VIEW_3D":
        return
    view = area.spaces.active.region_3d
    (region,) = (region for region in area.regions if region.type == "WINDOW")
    sidebars = (item.width for item in area.regions if item.type == "UI" and item.width > 1)
    if view.view_perspective != "CAMERA":
        move_back(view, points, 1.0 - 2.0 * sum(sidebars) / region.width)


def move_back(view: Any, points: np.ndarray, right: float) -> None:
    """Centre a view on points and move it back until all are in sight; a view that shows them does not change.

    Args:
        view: Blender's RegionView3D.
        points: (P, 3) places, scene units.
        right: Right edge of the free part of the view, -1 to 1 across all of it.
    """
    if sees(view.perspective_matrix, points, right):
        return
    view.view_location = Vector(0.5 * (points.min(axis=0) + points.max(axis=0)))
    for _ in range(MOST_STEPS):
        view.update()
        if sees(view.perspective_matrix, points, right):
            return
        view.view_distance *= BACK


def sees(matrix: Iterable[Iterable[float]], points: np.ndarray, right: float) -> bool:
    """Return whether points are in sight: a (4, 4) matrix projects them to -1 to 1 across the view, times a depth."""
    projected = np.column_stack([points, np.ones(len(points))]) @ np.array(matrix, float).T
    depth = projected[:, 3]
    if (depth <= 0.0).any():
        return False
    x, y = (projected[:, :2] / depth[:, None]).T
    return bool(((x > MARGIN - 1.0) & (x < right - MARGIN) & (abs(y) < 1.0 - MARGIN)).all())
