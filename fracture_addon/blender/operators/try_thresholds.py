"""Find the threshold of deformable objects by dropping small cylinders of their material."""

from __future__ import annotations

import bpy

from ...core.data.trials import OUTCOMES
from ...core.timeline.threshold_trials import proposal
from .. import run
from .run_operator import RunOperator


class FRACTURE_OT_try_thresholds(RunOperator, bpy.types.Operator):
    """Tries thresholds, and sets the one in the middle of those at which things break."""

    bl_idname = "fracture.try_thresholds"
    bl_label = "Find Threshold"
    bl_description = (
        "Drop small cylinders of the selected objects' material and softness over a range of thresholds, as fast as "
        "the objects will hit the floor, and set the threshold at which they break rather than crumble or survive"
    )

    task = "trials"
    doing = "Dropping cylinders"

    def deliver(self, context, finished):
        """Set the thresholds, and say what was found."""
        objects, lines = finished.objects(context), []
        for obj, trials in zip(objects, finished.process.result.bodies, strict=True):
            obj.fracture.threshold = proposal(trials)
            counts = [sum(trial.outcome == name for trial in trials) for name in OUTCOMES]
            found = ", ".join(f"{count} {name}" for count, name in zip(counts, OUTCOMES, strict=True) if count)
            lines.append(f"'{obj.name}': of {len(trials)} thresholds {found}; set to {obj.fracture.threshold:.2g}")
        run.say("; ".join(lines))
