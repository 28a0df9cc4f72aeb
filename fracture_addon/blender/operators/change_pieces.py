"""Change single pieces of a result: hide, anchor or glue them, turn them into dust, or restore their motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError
from ...core.data.recording import Fragment
from ...core.timeline.crumbling import Crumbling, crumbled
from ..process import cached_run, run
from ..scene.action_curves import curves_of
from ..scene.result_lookup import PIECES, all_results, collection_of, subject_of, with_broken_off
from ..setup.continued import pieces_to_continue
from ..write import crumbled as dust_objects
from ..write import later_motion, playhead
from ..write.piece_nodes import BIRTH
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator

CHANGES = (
    ("HIDE", "Hide", "Hide the selected pieces, and those that they break into, from the current frame on"),
    ("ANCHOR", "Anchor", "Keep the selected pieces where they were when they came off, until they break further"),
    (
        "GLUE",
        "Glue to Active",
        "Let the selected pieces follow the active piece from the current frame on, until they break further",
    ),
    (
        "DUST",
        "Turn into Dust",
        "Replace the selected pieces by dust on the current frame. It has their volume and velocity, falls, and "
        "bounces off the colliders of their run",
    ),
    (
        "RESTORE",
        "Restore Motion",
        "Give the selected pieces the motion of their run again: releases what is hidden, anchored, glued or frozen, "
        "and removes the dust that they turned into",
    ),
)
SELECT = "Select pieces: click them in the viewport"


class FRACTURE_OT_change_pieces(ImmediateOperator, bpy.types.Operator):
    """Hide, anchor or glue pieces, turn them into dust, or restore their motion, without another run."""

    bl_idname = "fracture.change_pieces"
    bl_label = "Shatter: Change Pieces"
    bl_description = (
        "Hide, anchor or glue the selected pieces, turn them into dust, or restore their motion. The other pieces keep "
        "their motion and may pass through them"
    )

    change: bpy.props.EnumProperty(name="Change", description="What happens to the pieces", items=CHANGES)
    piece: bpy.props.StringProperty(
        name="Piece",
        description="Name of the piece to change. Empty, or a selected piece: all selected pieces",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    onto: bpy.props.StringProperty(
        name="Onto", description="Name of the piece to glue to. Empty: the active one", options={"HIDDEN", "SKIP_SAVE"}
    )
    grains: bpy.props.IntProperty(
        name="Grains",
        description="About how many grains each piece turns into. Raise it for finer dust",
        default=400,
        min=1,
        soft_max=1000,
        max=2000,
    )
    scatter: bpy.props.FloatProperty(
        name="Scatter",
        description="Random part of the speed of the grains. Raise it to let the dust spread, 0 keeps its shape until "
        "it lands",
        default=0.3,
        min=0.0,
        soft_max=5.0,
        unit="VELOCITY",
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip of the change."""
        what = next(text for key, _, text in CHANGES if key == properties.change)
        return f"{what}. The other pieces keep their motion and may pass through them"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there is a result, in object mode, and no run is in progress."""
        nothing = unless(all_results(), "Press Shatter, then select pieces")
        return usable(cls, running(), editing(context), nothing)

    def draw(self, _context: Any) -> None:
        """Draw the settings of the change, for Adjust Last Operation."""
        layout: Any = self.layout
        layout.use_property_split = True
        layout.prop(self, "change")
        if self.change == "DUST":
            layout.prop(self, "grains")
            layout.prop(self, "scatter")

    def act(self, context: Any) -> None:
        """Change the pieces that have keyframes, and report their number."""
        frame = context.scene.frame_current
        chosen = self._chosen(context)
        pieces = [piece for piece in chosen if curves_of(piece)]
        if not pieces:
            name = subject_of(chosen[0]).name
            raise SceneError(f"The pieces of '{name}' have no keyframes; press Shatter to make some that move")
        if self.change == "GLUE":
            pieces = self._glue(context, pieces, frame)
        elif self.change == "DUST":
            self._crumble(context, pieces, frame)
        elif self.change == "RESTORE":
            _restore(context, pieces)
        elif self.change == "HIDE":
            for piece in with_broken_off(set(pieces)):
                later_motion.hide_from(piece, frame)
        else:
            for piece in pieces:
                later_motion.anchor(piece, piece[BIRTH])
        playhead.evaluate_again(context.scene)
        name = next(text for key, text, _ in CHANGES if key == self.change)
        run.say(f"{name}: {len(pieces):,} piece" + ("s" if len(pieces) > 1 else ""))

    def _chosen(self, context: Any) -> list[bpy.types.Object]:
        """Return the pieces to change.

        Raises:
            SceneError: No piece is selected or named.
        """
        selected = pieces_to_continue(context)
        if self.piece:
            named = bpy.data.objects.get(self.piece)
            if named is None or subject_of(named) == named:
                raise SceneError(f"'{self.piece}' is no piece of a result; press Shatter to make pieces")
            return [piece for piece in selected if piece.select_get()] if named.select_get() else [named]
        if not selected:
            raise SceneError(SELECT)
        return selected

    def _glue(self, context: Any, pieces: Sequence[bpy.types.Object], frame: int) -> list[bpy.types.Object]:
        """Let pieces follow another one, and return them.

        Raises:
            SceneError: The object to follow is no piece with keyframes, or no other piece is selected.
        """
        leader = bpy.data.objects.get(self.onto) if self.onto else context.object
        others = [piece for piece in pieces if piece != leader]
        if leader is None or subject_of(leader) == leader or curves_of(leader) is None or not others:
            raise SceneError("Select the pieces to glue, and at last the piece that they follow (Shift and click)")
        for piece in others:
            later_motion.follow(piece, leader, frame)
        return others

    def _crumble(self, context: Any, pieces: Sequence[bpy.types.Object], frame: int) -> None:
        """Replace pieces by dust.

        Raises:
            SceneError: As for ``_of_run``; or a piece is not visible on the frame.
        """
        unit, done = context.scene.unit_settings.scale_length, []
        for found in _of_run(context, pieces):
            piece, job = found.piece, found.cached.job
            if later_motion.is_hidden(piece, frame) or not job.frame_start <= frame <= job.frame_end:
                raise SceneError(f"'{piece.name}' is not visible on frame {frame}; go to a frame after the break")
            # A piece has no velocity of its own before it comes off.
            first = frame <= piece[BIRTH]
            frames = (frame, frame + 1) if first else (frame - 1, frame)
            poses = np.array([_row(later_motion.pose_on(piece, at), unit) for at in frames])
            crumbling = Crumbling(found.body, found.fragment.surface, poses, frame - job.frame_start, first)
            seed = job.bodies[found.body].settings.seed
            (dust,) = crumbled(job, found.cached.recording, [crumbling], self.grains, self.scatter * unit, seed)
            done.append((found, dust))
        for found, dust in done:
            start = found.cached.job.frame_start
            source = subject_of(found.piece)
            shown: Any = collection_of(source)
            dust_objects.replace(shown, source, found.piece, dust, frame, start, unit)


@dataclass(frozen=True)
class _Stored:
    """A piece and its fragment in the stored run.

    Attributes:
        piece: The object.
        cached: The run.
        body: Row of the job's bodies.
        fragment: The fragment.
    """

    piece: bpy.types.Object
    cached: cached_run.CachedRun
    body: int
    fragment: Fragment


def _of_run(context: Any, pieces: Sequence[bpy.types.Object]) -> Iterator[_Stored]:
    """Yield pieces with their fragments in the stored run.

    Raises:
        SceneError: The run is not stored, or it has no such pieces.
    """
    loaded: dict[str, cached_run.CachedRun] = {}
    for piece in pieces:
        source = subject_of(piece)
        shown: Any = collection_of(source)
        key = cached_run.key_of(source)
        if key not in loaded:
            loaded[key] = cached_run.load(context.scene, key)
        job, recording = loaded[key].job, loaded[key].recording
        names = [body.name for body in job.bodies]
        body = names.index(source.name) if source.name in names else -1
        rows = [row for row, fragment in enumerate(recording.fragments) if fragment.body == body]
        number = next(int(number) for number, item in shown[PIECES].items() if item == piece)
        if number >= len(rows):
            raise SceneError(f"'{piece.name}' is not in the stored run; press Shatter to make the pieces again")
        yield _Stored(piece, loaded[key], body, recording.fragments[rows[number]])


def _row(place: Any, unit: float) -> np.ndarray:
    """Return a place as a pose (7,), metres."""
    location, rotation, _ = place.decompose()
    return np.concatenate([unit * np.array(location[:]), rotation[:]])


def _restore(context: Any, pieces: Sequence[bpy.types.Object]) -> None:
    """Give pieces the keyframes of their run again, and remove their dust; errors as for ``_of_run``."""
    for found in list(_of_run(context, pieces)):
        start, unit = found.cached.recording.frame_start, context.scene.unit_settings.scale_length
        later_motion.restore(found.piece, found.fragment, start, unit)
        dust_objects.remove(collection_of(subject_of(found.piece)), found.piece)
