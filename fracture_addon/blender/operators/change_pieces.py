"""Change single pieces of a result: hide, anchor or glue them, or restore their motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import cached_run, run
from ..scene.action_curves import curves_of
from ..scene.result_lookup import PIECES, collection_of, subject_of
from ..setup.continued import pieces_to_continue
from ..write import later_motion
from ..write.piece_nodes import BIRTH
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator

CHANGES = (
    ("HIDE", "Hide", "Hide the selected pieces from the current frame on"),
    ("ANCHOR", "Anchor", "Keep the selected pieces where they were when they came off, until they break further"),
    (
        "GLUE",
        "Glue to Active",
        "Let the selected pieces follow the active piece from the current frame on, until they break further",
    ),
    (
        "RESTORE",
        "Restore Motion",
        "Give the selected pieces the motion of their run again: releases what is hidden, anchored, glued or frozen",
    ),
)


class FRACTURE_OT_change_pieces(ImmediateOperator, bpy.types.Operator):
    """Hide, anchor or glue the selected pieces, or restore their motion, without another run."""

    bl_idname = "fracture.change_pieces"
    bl_label = "Shatter: Change Pieces"
    bl_description = (
        "Hide, anchor or glue the selected pieces, or restore their motion. The other pieces keep their motion and may "
        "pass through them"
    )

    change: bpy.props.EnumProperty(name="Change", description="What happens to the selected pieces", items=CHANGES)

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip of the change."""
        what = next(text for key, _, text in CHANGES if key == properties.change)
        return f"{what}. The other pieces keep their motion and may pass through them"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a piece is selected, in object mode, and no run is in progress."""
        nothing = unless(pieces_to_continue(context), "Select pieces: click them in the viewport")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Change the pieces that have keyframes, and report their number."""
        frame = context.scene.frame_current
        pieces = [piece for piece in pieces_to_continue(context) if curves_of(piece)]
        if not pieces:
            name = subject_of(pieces_to_continue(context)[0]).name
            raise SceneError(f"The pieces of '{name}' have no keyframes; press Shatter to make some that move")
        if self.change == "GLUE":
            pieces = _glue(context, pieces, frame)
        elif self.change == "RESTORE":
            _restore(context, pieces)
        else:
            for piece in pieces:
                if self.change == "HIDE":
                    later_motion.hide_from(piece, frame)
                else:
                    later_motion.anchor(piece, piece[BIRTH])
        name = next(text for key, text, _ in CHANGES if key == self.change)
        run.say(f"{name}: {len(pieces):,} piece" + ("s" if len(pieces) > 1 else ""))


def _glue(context: Any, pieces: Sequence[bpy.types.Object], frame: int) -> list[bpy.types.Object]:
    """Let pieces follow the active one, and return them.

    Raises:
        SceneError: The active object is no piece, or no other piece is selected.
    """
    leader = context.object
    others = [piece for piece in pieces if piece != leader]
    if leader not in pieces or not others:
        raise SceneError("Select the pieces to glue, and at last the piece that they follow (Shift and click)")
    for piece in others:
        later_motion.follow(piece, leader, frame)
    return others


def _restore(context: Any, pieces: Sequence[bpy.types.Object]) -> None:
    """Give pieces the keyframes of their run again.

    Raises:
        SceneError: The run is not stored, or it has no such pieces.
    """
    loaded: dict[str, cached_run.CachedRun] = {}
    found = []
    for piece in pieces:
        source = subject_of(piece)
        shown: Any = collection_of(source)
        key = cached_run.key_of(source)
        if key not in loaded:
            loaded[key] = cached_run.load(context.scene, key)
        cached = loaded[key]
        names = [body.name for body in cached.job.bodies]
        row = names.index(source.name) if source.name in names else -1
        mine = [fragment for fragment in cached.recording.fragments if fragment.body == row]
        number = next(int(number) for number, item in shown[PIECES].items() if item == piece)
        if number >= len(mine):
            raise SceneError(f"'{piece.name}' is not in the stored run; press Shatter to make the pieces again")
        found.append((piece, mine[number], cached.recording.frame_start))
    for piece, fragment, start in found:
        later_motion.restore(piece, fragment, start, context.scene.unit_settings.scale_length)
