"""Exploded view: fragments are moved apart from their common centre.

The move is added to the delta location of a fragment, so keyframes and the artist's own transforms stay. A fragment
stores the delta location that it had before. A distance of 0 restores it exactly.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..scene.result_lookup import MASS, pieces_of

# Custom property of a moved fragment: its own delta location (3), and the one that this module assigned (3).
MOVED = "fracture_exploded_from"
# Custom property of a result: the distance of its exploded view.
DISTANCE = "fracture_exploded"


def distance_of(collection: bpy.types.Collection) -> float:
    """Return the distance of a result's exploded view, relative to that of the fragments from their centre."""
    return collection.get(DISTANCE, 0.0)


def explode(collection: bpy.types.Collection, distance: float) -> None:
    """Move the fragments of a result apart, from their places on the current frame.

    Args:
        collection: The result.
        distance: Added distance from the centre, relative to the present one; 0 restores all fragments exactly.
    """
    pieces: list[Any] = [piece for piece in pieces_of(collection) if MASS in piece]
    if not pieces:
        return
    places = np.array([piece.location for piece in pieces])
    center = np.average(places, axis=0, weights=[piece[MASS] for piece in pieces])
    for piece, place in zip(pieces, places, strict=True):
        own = _own_delta(piece)
        piece.delta_location = (own + distance * (place - center)).tolist() if distance else own.tolist()
        if distance:
            piece[MOVED] = [*own.tolist(), *piece.delta_location]
        else:
            piece.pop(MOVED, None)
    collection[DISTANCE] = distance


def _own_delta(piece: Any) -> np.ndarray:
    """Return the delta location without the exploded view; a change since it was assigned belongs to the artist."""
    now = np.array(piece.delta_location, float)
    if MOVED not in piece:
        return now
    own, assigned = np.array(piece[MOVED]).reshape(2, 3)
    return own + (now - assigned)
