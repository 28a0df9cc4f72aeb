"""Settings of a scene: frames, substeps, checkpoints and cache."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from ...core.data.job import Job
from . import limits

DEFAULTS = Job(())


class FractureSceneSettings(bpy.types.PropertyGroup):
    """Frames to simulate, substeps, checkpoints and the cache folder."""

    use_scene_range: BoolProperty(
        name="Scene Frames",
        description="Simulate the frame range of the scene. Off: set a separate range below",
        default=True,
    )
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
        description="Simulation steps per frame. Raise it if fast or small pieces pass through other objects",
        default=DEFAULTS.substeps,
        min=1,
        soft_max=60,
        max=1000,
    )
    break_anyway: BoolProperty(
        name="Break Anyway",
        description="If nothing breaks, or only a small chip breaks off, make all impacts stronger. The report has the "
        "factor. Materials that yield first, such as metals, stay whole. Turn it off to see whether an object survives",
        default=True,
    )
    checkpoint_interval: IntProperty(
        name="Checkpoint Every",
        description="Frames between two checkpoints of deformable objects; 0 for none. "
        "A stopped run resumes at its last checkpoint. Another run can continue from any checkpoint",
        default=DEFAULTS.checkpoint_interval,
        min=0,
        max=limits.MOST_FRAMES,
        soft_max=50,
    )
    use_continue: BoolProperty(
        name="Continue",
        description="Start from a checkpoint of an earlier run, with the current settings",
        default=False,
    )
    continue_from: IntProperty(
        name="From Frame",
        description="Frame of the checkpoint to continue from. If it has none, the last checkpoint before it is used",
        default=1,
        min=-limits.LAST_FRAME,
        max=limits.LAST_FRAME,
    )
    cache_path: StringProperty(
        name="Cache Folder",
        description="Folder that stores the last run, so that Bake Cached Run, Slow Motion and Trim work in later "
        "sessions. If empty, the cache in your Blender folder keeps the last runs until it is full",
        subtype="DIR_PATH",
    )
