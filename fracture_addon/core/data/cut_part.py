"""Closed surface of one fragment of a cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays
from .surface import Surface


@dataclass(frozen=True)
class CutPart(ReadOnlyArrays):
    """One connected component of a fragment, cut from the artist's surface.

    Attributes:
        label: Label of the fragment.
        surface: Closed surface with outward normals, in the space of the surface that was cut. ``face_source`` is
            copied from that surface; it is -1 on crack faces.
        interior: (F,) bool, True on crack faces of this break or an earlier one.
    """

    label: int
    surface: Surface
    interior: np.ndarray
