"""Break one piece of a result again by an impact, without another run of the other pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import bpy
from mathutils import Vector

from ...core.data.errors import SceneError
from ..process import run
from ..process.run_objects import RunObjects
from ..properties.impact import STRENGTH
from ..read.job import read_job
from ..scene.result_lookup import all_results, subject_of
from ..setup import continued, impacts
from ..setup.placing import nearest
from .availability import editing, running, unless, usable
from .break_operator import BreakOperator

# Adds the impact to the new object.
AddImpact = Callable[[Any, Any], None]


class PieceRun(run.Run):
    """A job in a worker process, of an object that is made of a piece: for the job, and again with its result."""

    def __init__(self, context: Any, objects: Sequence[bpy.types.Object], task: str, *, add_impact: AddImpact):
        """Read the job and start the worker. The scene stays as it is.

        Args:
            context: Context of the scene.
            objects: The piece.
            task: As for ``Run``.
            add_impact: Adds the impact to the new object.
        """
        (piece,) = objects
        self._piece, self._frame, self._add_impact = piece.name, context.scene.frame_current, add_impact
        frames = continued.frames_from_now(context.scene)
        with _selection_kept(context):
            made: list[Any] = continued.copies_of(context, [piece])
            try:
                add_impact(context, made[0])
                self.job = read_job(context, made, frames)
                self._objects = RunObjects(context, self.job, made)
            finally:
                empty = made[0].fracture.impact_object
                if empty is not None:
                    bpy.data.objects.remove(empty)
                continued.remove(context.scene, made)
        self._start(task)

    def make_object(self, context: Any) -> None:
        """Make the object for the result.

        Raises:
            SceneError: The piece is gone, or another scene is shown.
        """
        piece: Any = bpy.data.objects.get(self._piece)
        if piece is None or subject_of(piece) == piece:
            raise SceneError(f"'{self._piece}' was removed during the run; choose a piece and break it again")
        context.scene.frame_set(self._frame)
        made: Any = continued.continue_from(context, [piece])
        self._add_impact(context, made[0])
        self._objects = RunObjects(context, self.job, made)


@contextmanager
def _selection_kept(context: Any) -> Iterator[None]:
    """Restore the selection and the active object at the end."""
    selected, active = list(context.selected_objects), context.view_layer.objects.active
    try:
        yield
    finally:
        for obj in selected:
            obj.select_set(True)
        context.view_layer.objects.active = active


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
        """Return nothing: ``begin`` makes the object."""
        return []

    def begin(self, context: Any, _objects: Sequence[bpy.types.Object]) -> run.Run:
        """Start the run of the new object. The scene does not change until it is done: one step of undo does both."""
        piece = bpy.data.objects.get(self.piece) if self.piece else context.object
        if piece is None or subject_of(piece) == piece:
            raise SceneError("No piece is chosen; make a piece active (click it), or point at one with Pull a Piece")
        self.piece = piece.name
        return run.begin(context, [piece], self.task, partial(PieceRun, add_impact=self._add_impact))

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Make the object and its impact, and bake the recording."""
        assert isinstance(finished, PieceRun)
        finished.make_object(context)
        super().deliver(context, finished)

    def _add_impact(self, context: Any, obj: Any) -> None:
        impacts.add(context, obj, *nearest(obj, Vector(self.point))).impact_strength = self.strength
