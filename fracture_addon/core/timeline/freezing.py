"""Freezes: volumes that stop moving fragments, and hold them for some frames (docs/decisions/activation.md)."""

from __future__ import annotations

from ..data.job import Job
from .reached_fragments import reached_fragments
from .rigid_scene import RigidScene


def hold_frozen(job: Job, scene: RigidScene, row: int) -> None:
    """Let go of the fragments whose freeze ends on a frame, and stop the moving ones that a freeze reaches.

    Args:
        job: Its freezes.
        scene: State on the frame; changed.
        row: The frame, counted from the first one.

    Notes:
        Own. A stopped fragment loses its momentum, as if the world had caught it.

    Example:
        Without a freeze nothing changes.

        >>> hold_frozen(Job(()), None, 0)
    """
    frame = job.frame_start + row
    for number, freeze in enumerate(job.freezes):
        living = [fragment for fragment in scene.fragments if fragment.key >= 0]
        for fragment in living:
            if fragment.is_frozen and fragment.freezes[-1] == number and frame > freeze.last_frame:
                scene.let_go(fragment)
        if freeze.first_frame <= frame <= freeze.last_frame:
            moving = [item for item in living if not item.kinematic and number not in item.freezes]
            poses = [scene.world.pose(fragment.key) for fragment in moving]
            for fragment in reached_fragments([freeze.volume], row, moving, poses):
                scene.freeze(fragment, number, waits=job.bodies[fragment.body].settings.motion.waits)
