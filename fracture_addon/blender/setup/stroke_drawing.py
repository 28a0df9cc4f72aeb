"""Drawing of a line under the pointer in the 3D viewport, while it grows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from .impact_drawing import CRACK_COLOR, CRACK_WIDTH, draw_lines


def add(points: list[Vector]) -> Any:
    """Draw a list of points in all 3D viewports until ``remove``; it may grow meanwhile."""
    return bpy.types.SpaceView3D.draw_handler_add(_draw, (points,), "WINDOW", "POST_VIEW")


def remove(handle: Any) -> None:
    """End the drawing."""
    bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")


def _draw(points: list[Vector]) -> None:
    if len(points) > 1:
        draw_lines(np.array([[first[:], second[:]] for first, second in pairwise(points)]), CRACK_COLOR, CRACK_WIDTH)
