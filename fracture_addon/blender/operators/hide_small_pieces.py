"""Hide small pieces from the current frame on."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..scene.result_lookup import MASS, subject_of
from ..setup.continued import pieces_to_continue
from ..write import later_motion, playhead
from .availability import editing, running, unless, usable
from .freeze_pieces import NO_PIECES
from .immediate_operator import ImmediateOperator

# Percent of the mass of all pieces. Chosen: dust and chips; a piece of this size is 0.2 times as wide as the object.
SMALL = 1.0


class FRACTURE_OT_hide_small_pieces(ImmediateOperator, bpy.types.Operator):
    """Hide small pieces from the current frame on."""

    bl_idname = "fracture.hide_small_pieces"
    bl_label = "Shatter: Hide Small Pieces"
    bl_description = (
        "Hide small pieces among those that are visible on the current frame, from this frame on. Change the limit in "
        "Adjust Last Operation (F9). Bake Cached Run or Shatter brings them back"
    )

    percent: bpy.props.FloatProperty(
        name="Smaller Than",
        description="Pieces are hidden whose mass is below this part of the mass of all visible pieces of their object",
        default=SMALL,
        min=0.0,
        max=100.0,
        soft_max=10.0,
        precision=2,
        subtype="PERCENTAGE",
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a piece or a broken object is selected, in object mode, and no run is in progress."""
        return usable(cls, running(), editing(context), unless(pieces_to_continue(context), NO_PIECES))

    def act(self, context: Any) -> None:
        """Hide the pieces, and report their number."""
        frame = context.scene.frame_current
        visible: dict[Any, list[Any]] = {}
        pieces: list[Any] = pieces_to_continue(context)
        for piece in pieces:
            if MASS in piece and not later_motion.is_hidden(piece, frame):
                visible.setdefault(subject_of(piece), []).append(piece)
        hidden = [piece for found in visible.values() for piece in later_motion.small(found, 0.01 * self.percent)]
        for piece in hidden:
            later_motion.hide_from(piece, frame)
        playhead.evaluate_again(context.scene)
        run.say(f"{len(hidden):,} of {sum(map(len, visible.values())):,} pieces hidden from frame {frame} on")
