"""Dust that single pieces of a result turn into: an object of debris for each, beside the pieces of the result."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.recording import Debris
from ..scene.result_lookup import PIECES, SOURCE, pieces_of, with_broken_off
from . import later_motion, one_object, results
from .bake import look_of

# Custom property on the dust of a piece: the piece.
DUST_OF = "fracture_dust_of"


def replace(
    collection: Any,
    source: Any,
    piece: Any,
    dust: Debris,
    frame: int,
    frame_start: int,
    unit: float,
) -> None:
    """Show dust instead of a piece, and of those that it breaks into later, from a frame on.

    Args:
        collection: The result.
        source: The broken object.
        piece: The piece.
        dust: The dust.
        frame: First frame with the dust.
        frame_start: First frame of the run.
        unit: Metres per scene unit.
    """
    remove(collection, piece)
    shown = one_object.write_debris(
        f"{piece.name} Dust", dust, source.fracture.seed, look_of(source), frame_start, unit
    )
    shown.color, shown.pass_index = source.color, source.pass_index
    shown[SOURCE], shown[DUST_OF] = piece[SOURCE], piece
    collection.objects.link(shown)
    listed = collection[PIECES]
    listed[str(1 + max(map(int, listed.keys())))] = shown
    for hidden in with_broken_off([piece]):
        later_motion.hide_from(hidden, frame)


def remove(collection: Any, piece: bpy.types.Object) -> None:
    """Remove the dust that a piece has turned into, if any. The piece stays hidden."""
    listed = collection[PIECES]
    found = [obj for obj in pieces_of(collection) if obj.get(DUST_OF) == piece]
    for key in [key for key, obj in listed.items() if obj in found]:
        del listed[key]
    results.remove_pieces(found)
