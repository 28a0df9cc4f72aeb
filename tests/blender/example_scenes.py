"""Runs of the example scenes on few elements, and what became of their objects."""

from __future__ import annotations

import bpy
import numpy as np

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import presets
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.timeline.timeline import simulate


def run(name, cells, frame_end):
    """Run a scene with about ``cells`` elements in all."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    objects = presets.build(bpy.context, presets.find(name, presets.SCENES))
    whole = sum(obj.fracture.resolution for obj in objects)
    for obj in objects:
        obj.fracture.resolution = round(cells * obj.fracture.resolution / whole)
    return simulate(read_job(bpy.context, objects, (1, frame_end)), lambda *_: None)


def last_pieces(recording, body=0):
    """Return the fragments of a body on the last frame, and the share of its mass (N,) that each has."""
    found = [piece for piece in recording.fragments if piece.body == body and piece.death_frame == NEVER]
    masses = np.array([piece.mass for piece in found])
    return found, masses / masses.sum()


def way_of(item, row=-1):
    """Return how far (3,) a fragment or a ball has moved since the start, m."""
    return item.poses[row, :3] - item.poses[0, :3]


def way_of_ball(recording, frames):
    """Return how far (3,) the ball moves in the last frames, m."""
    (ball,) = recording.projectiles
    return ball.poses[-1, :3] - ball.poses[-1 - frames, :3]


def middles(recording, name):
    """Return the mean (T, 3) of the points of a deformable body, m."""
    (found,) = (item for item in recording.deformed if recording.bodies[item.body].name == name)
    return found.points.mean(axis=1)
