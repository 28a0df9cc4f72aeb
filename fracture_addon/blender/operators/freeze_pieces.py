"""Stop pieces on the current frame."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import run
from ..scene.action_curves import curves_of
from ..scene.result_lookup import subject_of
from ..setup.continued import pieces_to_continue
from ..write import later_motion
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator

NO_PIECES = "Select pieces, or a broken object whose pieces are separate objects"


class FRACTURE_OT_freeze_pieces(ImmediateOperator, bpy.types.Operator):
    """Stop pieces on the current frame."""

    bl_idname = "fracture.freeze_pieces"
    bl_label = "Shatter: Freeze Pieces"
    bl_description = (
        "Keep the selected pieces, or all pieces of the selected objects, from the current frame on as they are: "
        "they stay where they are and break no further. Bake Cached Run or Shatter brings their motion back"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a piece or a broken object is selected, in object mode, and no run is in progress."""
        return usable(cls, running(), editing(context), unless(pieces_to_continue(context), NO_PIECES))

    def act(self, context: Any) -> None:
        """Remove the keyframes after the current frame, and report the number of pieces."""
        frame = context.scene.frame_current
        pieces = [piece for piece in pieces_to_continue(context) if curves_of(piece)]
        if not pieces:
            names = ", ".join(sorted({f"'{subject_of(piece).name}'" for piece in pieces_to_continue(context)}))
            raise SceneError(f"The pieces of {names} have no keyframes; press Shatter to make some that move")
        for piece in pieces:
            later_motion.freeze(piece, frame)
        run.say(f"{len(pieces):,} pieces stop on frame {frame}")
