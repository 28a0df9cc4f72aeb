"""Report of a result, stored as JSON on its collection."""

from __future__ import annotations

import json
from collections.abc import Mapping

import bpy

from ...core.data.job import Job
from ...core.data.recording import NEVER, Recording
from ..scene import result_motion


def report(job: Job, recording: Recording, row: int, seconds: Mapping[str, float], obj: bpy.types.Object) -> str:
    """Return the report of one object as JSON.

    Args:
        job: The simulated job.
        recording: Its result.
        row: Row of the object's body in the job.
        seconds: s, duration of each stage.
        obj: The object, before it is hidden.
    """
    bodies = recording.report.get("bodies", [])
    body = dict(bodies[row]) if bodies else {}
    repair = body.get("repair") or {}
    visible = _still_visible(obj) if recording.bodies[row].break_frame != NEVER else []
    return json.dumps(
        {
            **body,
            "repair": repair["sentence"] if repair.get("changed") else "",
            "openings": repair.get("openings", ""),
            "warnings": [*body.get("warnings", ()), *recording.report.get("warnings", ()), *visible],
            "seconds": dict(seconds),
            "options": dict(job.options),
            "objects": {"count": len(bodies), "fragments": sum(item.get("fragments", 0) for item in bodies)},
        }
    )


def _still_visible(obj: bpy.types.Object) -> list[str]:
    """Return warnings about drivers of the artist that keep a broken object visible."""
    return [
        f"'{obj.name}' may stay visible beside its pieces, because a driver sets its {name}; remove that driver, or "
        "change it to hide the object after the break"
        for name in result_motion.drivers_of_artist(obj)
    ]
