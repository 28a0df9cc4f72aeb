"""Find the threshold of deformable objects by trial drops of small cylinders."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.trial_results import OUTCOMES, Trials
from ...core.timeline.threshold_trials import proposal
from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_try_thresholds(RunOperator, bpy.types.Operator):
    """Try thresholds, and set the middle of the range in which the cylinders break."""

    bl_idname = "fracture.try_thresholds"
    bl_label = "Shatter: Find Threshold"
    bl_description = (
        "Simulate drops of small cylinders of the same material and softening, with several thresholds. Then set the "
        "threshold at which they break, but do not crumble. Use it if an object crumbles or does not break"
    )

    task = "trials"
    doing = "Trying thresholds"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Set the thresholds and report the outcomes."""
        objects, lines = finished.objects(context), []
        for obj, trials in zip(objects, finished.process.result_of(Trials).bodies, strict=True):
            obj.fracture.threshold = proposal(trials)
            counts = [sum(trial.outcome == name for trial in trials) for name in OUTCOMES]
            found = ", ".join(f"{count} {name}" for count, name in zip(counts, OUTCOMES, strict=True) if count)
            lines.append(f"'{obj.name}': of {len(trials)} thresholds {found}; set to {obj.fracture.threshold:.2g}")
        run.say("; ".join(lines))
