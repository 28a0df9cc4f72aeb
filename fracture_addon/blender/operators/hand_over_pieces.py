"""Let Blender's rigid bodies move pieces from the current frame on."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..setup.continued import pieces_to_continue
from ..write import rigid_bodies
from .availability import editing, running, unless, usable
from .freeze_pieces import NO_PIECES
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_hand_over_pieces(ImmediateOperator, bpy.types.Operator):
    """Let Blender's rigid bodies move pieces from the current frame on."""

    bl_idname = "fracture.hand_over_pieces"
    bl_label = "Shatter: To Rigid Bodies"
    bl_description = (
        "From the current frame on, the visible pieces are rigid bodies of Blender with their masses, velocities and "
        "convex hulls; until then they keep their keyframes. They break no further. Play from the first frame"
    )

    settled_stay: bpy.props.BoolProperty(
        name="Settled Pieces Stay",
        description="Pieces that do not move after the current frame become static bodies, which support the others",
        default=True,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a piece or a broken object is selected, in object mode, and no run is in progress."""
        return usable(cls, running(), editing(context), unless(pieces_to_continue(context), NO_PIECES))

    def act(self, context: Any) -> None:
        """Make the bodies, and report their numbers."""
        active, static = rigid_bodies.hand_over(context, pieces_to_continue(context), self.settled_stay)
        scene = context.scene
        run.say(
            f"{active:,} rigid bodies from frame {scene.frame_current} on, {static:,} static ones; play from frame "
            f"{scene.frame_start}"
        )
