"""What holds for a whole scene."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from ...core.data.job import Job
from .. import limits

DEFAULTS = Job(())


class FractureSceneSettings(bpy.types.PropertyGroup):
    """Which frames are simulated, and how finely."""

    use_scene_range: BoolProperty(name="Scene Frames", description="Simulate the scene's own frame range", default=True)
    frame_start: IntProperty(
        name="Start",
        description="First frame to simulate",
        default=DEFAULTS.frame_start,
        min=-limits.LAST_FRAME,
        max=limits.LAST_FRAME,
    )
    frame_end: IntProperty(
        name="End",
        description="Last frame to simulate",
        default=DEFAULTS.frame_end,
        min=-limits.LAST_FRAME,
        max=limits.LAST_FRAME,
    )
    substeps: IntProperty(
        name="Substeps",
        description="Steps of the motion a frame. More keep fast, small pieces from passing through things",
        default=DEFAULTS.substeps,
        min=1,
        soft_max=60,
        max=1000,
    )
    checkpoint_interval: IntProperty(
        name="Checkpoint Every",
        description="Frames between two checkpoints of what deforms: a run that was stopped goes on from its last one, "
        "and another can go on from there; 0 for none",
        default=DEFAULTS.checkpoint_interval,
        min=0,
        max=limits.MOST_FRAMES,
        soft_max=50,
    )
    use_continue: BoolProperty(
        name="Continue",
        description="Start from a checkpoint of an earlier run, with the settings of now",
        default=False,
    )
    continue_from: IntProperty(
        name="From Frame",
        description="Go on from this frame's checkpoint, or from the last one before it",
        default=1,
        min=-limits.LAST_FRAME,
        max=limits.LAST_FRAME,
    )
    cache_path: StringProperty(
        name="Keep In",
        description="Folder in which the last run is kept, so that it can be baked again without computing; "
        "nothing is kept when empty",
        subtype="DIR_PATH",
    )
