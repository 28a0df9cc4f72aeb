"""Break one piece of a result again by an impact, without another run of the other pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Vector

from ...core.data.errors import SceneError
from ..process import run
from ..properties.impact import STRENGTH
from ..scene.result_lookup import all_results, subject_of
from ..setup import continued, impacts
from ..setup.placing import nearest
from .availability import editing, running, unless, usable
from .break_operator import BreakOperator


class FRACTURE_OT_break_again(BreakOperator, bpy.types.Operator):
    """Make a new object of a piece, and break it by an impact."""

    bl_idname = "fracture.break_again"
    bl_label = "Shatter: Break Again"
    bl_description = (
        "Make a new object of the piece, as Start From This Frame does, and break it by an impact where you pointed. "
        "The other pieces keep their motion and are no obstacles"
    )

    piece: bpy.props.StringProperty(
        name="Piece", description="Name of the piece. Empty: the active one", options={"HIDDEN", "SKIP_SAVE"}
    )
    point: bpy.props.FloatVectorProperty(
        name="Point",
        description="The impact is at the point of the piece nearest to this place, in world space",
        subtype="TRANSLATION",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    strength: bpy.props.FloatProperty(
        name="Strength", description=STRENGTH, default=4.0, min=0.0, soft_max=50.0, precision=1
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there is a result, in object mode, and no run is in progress."""
        return usable(cls, running(), editing(context), unless(all_results(), "Press Shatter first"))

    def chosen(self, _context: Any) -> list[bpy.types.Object]:
        """Return nothing: the object is made by ``set_up``."""
        return []

    def set_up(self, context: Any, _objects: Sequence[bpy.types.Object]) -> bool:
        """Make the object, and add the impact."""
        piece = bpy.data.objects.get(self.piece) if self.piece else context.object
        if piece is None or subject_of(piece) == piece:
            raise SceneError("No piece is chosen; make a piece active (click it), or point at one with Pull a Piece")
        self._made = continued.continue_from(context, [piece])
        obj: Any = self._made[0]
        impacts.add(context, obj, *nearest(obj, Vector(self.point))).impact_strength = self.strength
        return True

    def begin(self, context: Any, _objects: Sequence[bpy.types.Object]) -> run.Run:
        """Start the run of the new object."""
        return super().begin(context, self._made)
