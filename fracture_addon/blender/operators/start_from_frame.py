"""Make new objects of the pieces of results, to break them again from the current frame."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..setup import continued
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_start_from_frame(ImmediateOperator, bpy.types.Operator):
    """Make new objects of pieces, as they are on the current frame."""

    bl_idname = "fracture.start_from_frame"
    bl_label = "Shatter: Start From This Frame"
    bl_description = (
        "Make new objects of the selected pieces, or of all pieces of the selected objects, as they are on the current "
        "frame: with their shape, place, velocity and material. Break them again with any method, settings and other "
        "objects; the run starts on this frame. The pieces are hidden from here on"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a piece or a broken object is selected, in object mode, and no run is in progress."""
        found = continued.pieces_to_continue(context)
        nothing = unless(found, "Select pieces, or a broken object whose pieces are separate objects")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Add the objects, and report their number and the first frame of the next run."""
        made = continued.continue_from(context, continued.pieces_to_continue(context))
        run.say(f"{len(made):,} new objects; Shatter starts on frame {context.scene.frame_current}")
