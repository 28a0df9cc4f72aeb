"""Preview the cracks of the selected objects as lines."""

from __future__ import annotations

import math
from typing import Any

import bpy

from ...core.data.crack_preview import BodyCracks, Cracks
from ...core.data.job import Body
from ..process import run
from .run_operator import RunOperator


class FRACTURE_OT_preview_break(RunOperator, bpy.types.Operator):
    """Compute the first break at low detail and show its cracks."""

    bl_idname = "fracture.preview_break"
    bl_label = "Shatter: Preview Break"
    bl_description = (
        "Show the cracks of the first break of the selected meshes as lines, with at most 2,000 cells per object. "
        "With a Detail of at most 2,000, Shatter breaks them along the same lines. Shatter, Clear and Remove Preview "
        "remove the lines"
    )

    task = "cracks"
    doing = "Computing the cracks"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Add the lines and report the number of pieces."""
        finished.show_cracks(context)
        bodies = finished.process.result_of(Cracks).bodies
        whole = [_unbroken(*pair) for pair in zip(finished.job.bodies, bodies, strict=True) if pair[1].piece_count < 2]
        pieces = sum(body.piece_count for body in bodies)
        found = f"Preview: {pieces:,} piece{'s' if pieces > 1 else ''}"
        run.say("; ".join([found, *whole]))


def _unbroken(body: Body, found: BodyCracks) -> str:
    """Return that a body does not break, and the violence that breaks it if its load is known.

    Loads are proportional to the violence. It is rounded up to two digits.
    """
    text = f"'{body.name}' does not break"
    if not 0.0 < found.load_factor < 1.0:
        return text
    violence = body.settings.cracks.violence / found.load_factor
    digit = 10.0 ** (math.floor(math.log10(violence)) - 1)
    needed = f"{digit * math.ceil(violence / digit):.12g}"
    return f"{text}: its load is {found.load_factor:.2g} of the breaking load; it breaks at Violence {needed}"
