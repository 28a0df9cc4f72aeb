"""Steps of the tutorial about a leaf."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from scene_tools import empty_scene, press, select
from stage import Shot

from fracture_addon.blender.setup import presets

FRAMES, TOUCHDOWN, START = 72, 46, (0.0, 0.0, 1.2)
# Vertices at the tip, and the one next to them.
STEM = (3, 4, 5, 13)


def steps(detail: float = 1.0) -> Iterator[tuple[str, Shot | None]]:
    """Do the steps one after another; after each, its title and its picture.

    Args:
        detail: Share of the frames, for a quick trial.
    """
    scene = empty_scene(frames=FRAMES)
    presets.build(bpy.context, presets.find("sweeney_leaf", presets.SCENES))
    leaf = bpy.data.objects["Leaf"]
    scene.frame_end = last = round(FRAMES * detail)
    yield "Add the leaf", _around(START, 1, 0.08)

    yield "See what it is made of", None

    press("shatter")
    yield "Let it fall", _near(min(23, last))

    yield "Play the shot", _near(min(TOUCHDOWN, last))

    leaf.fracture.density = 1000.0
    press("shatter")
    yield "Make it heavy", _near(min(10, last))

    leaf.fracture.density = 60.0
    bpy.ops.object.effector_add(type="WIND", location=(-1.0, 0.0, START[2]), rotation=(0.0, 1.5708, 0.0))
    wind = bpy.context.object
    wind.field.strength = 3.0
    select(leaf)
    press("shatter")
    yield "Add a wind", _near(min(14, last))

    leaf.vertex_groups.new(name="Stem").add(STEM, 1.0, "REPLACE")
    leaf.fracture.pin_group = "Stem"
    wind.field.strength = 1.5
    press("shatter")
    yield "Hold it by its stem", _near(min(30, last), 0.12)

    wind.field.strength, wind.field.noise = 3.0, 5.0
    leaf.fracture.young_modulus = 1e6
    press("shatter")
    yield "Make it limp in a gusty wind", _near(min(30, last), 0.12)

    wind.field.strength, wind.field.noise = 30.0, 0.0
    leaf.fracture.threshold = 0.05
    press("shatter")
    yield "Tear it in a storm", _near(min(2, last), 0.25)

    yield "Keep the result", None


def _near(frame: int, reach: float = 0.2) -> Shot:
    """A picture of the falling leaf, with a margin in metres around its middle."""
    bpy.context.scene.frame_set(frame)
    fallen = bpy.data.objects["Leaf Deformed"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = np.array([fallen.matrix_world @ vertex.co for vertex in fallen.to_mesh().vertices])
    return _around(corners.mean(axis=0), frame, reach)


def _around(middle, frame: int, reach: float) -> Shot:
    low, high = np.array(middle) - reach, np.array(middle) + reach
    return Shot(frame, (low[0], low[1], max(low[2], 0.0)), tuple(high))
