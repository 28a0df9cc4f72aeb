"""The teapot of Norton et al. 1991: simple lattices, glued (profiles and patches after Newell, in public domain)."""

import numpy as np

from tests import profiles
from tests.sweeney_operators import glued_by_nodes

WALL = 0.03
# Radius and height; the floor is none of Newell's.
BODY = [(0.375, 0.863), (0.4375, 0.731), (0.5, 0.6), (0.5, 0.488), (0.5, 0.375), (0.375, 0.3191), (0.375, 0.3)]
FLOOR = [(0.375, 0.28), (0.36, 0.27), (0.34, 0.27), (0.23, 0.27), (0.12, 0.27), (0.0, 0.27)]
LID = [(0.325, 0.875), (0.325, 0.9), (0.1, 0.9), (0.0, 0.938)]
HANDLE = [(-0.4, 0.797), (-0.6, 0.797), (-0.71, 0.797), (-0.71, 0.7129), (-0.71, 0.63), (-0.65, 0.52), (-0.46, 0.45)]
SPOUT = [
    [(0.425, 0.6189), (0.65, 0.6189), (0.575, 0.7881), (0.675, 0.863)],
    [(0.425, 0.4131), (0.775, 0.469), (0.6, 0.769), (0.825, 0.863)],
]
SPOUT_WIDTHS = [0.165, 0.165, 0.062, 0.062]
# The four rows of each spout patch: which edge of the outline, and whether in the middle plane or out to the side.
SPOUT_ROWS = [(SPOUT[0], 0.0), (SPOUT[0], 1.0), (SPOUT[1], 1.0), (SPOUT[1], 0.0)]


def parts(cells_through: int = 1) -> dict:
    """Body, rim, both bars of the handle, both slabs of the spout, and the lid: a lattice each, about 1 m wide."""
    spacing = WALL / cells_through
    outer = profiles.bezier_curve(BODY + FLOOR, round(1.25 / spacing))
    along = np.gradient(outer, axis=0)
    inner = outer + WALL * np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    inner[:, 0] = np.maximum(inner[:, 0], 0.0)
    inner[-1] = 0.0, outer[-1, 1] + WALL
    around = round(2.0 * np.pi * 0.45 / spacing)
    levels = np.linspace(0.84, 0.87, 1 + cells_through)
    rim = [np.stack([np.full(len(levels), radius), levels], axis=1) for radius in (0.345, 0.345 - WALL)]
    lid = profiles.bezier_curve(LID, round(0.4 / spacing))
    halves = [profiles.bezier_curve(curve, round(0.4 / spacing)) for curve in (HANDLE[:4], HANDLE[3:])]
    bars = [np.insert(half, 1, 0.0, axis=1) for half in halves]
    slabs = {}
    for name, side in (("left", 1.0), ("right", -1.0)):
        widths = side * np.array(SPOUT_WIDTHS)
        rows = [[(x, y * bulge, z) for (x, z), y in zip(edge, widths, strict=True)] for edge, bulge in SPOUT_ROWS]
        net = np.moveaxis(np.array(rows), 0, 1)
        slabs[f"spout, {name}"] = profiles.thickened_patches([net], WALL, (round(0.6 / spacing), round(0.5 / spacing)))
    return {
        "body": profiles.revolved(outer, inner, around, cells_through),
        "rim": profiles.revolved(rim[0], rim[1], around, cells_through),
        "upper handle": profiles.swept(bars[0], 0.035, 2 * cells_through),
        "lower handle": profiles.swept(bars[1], 0.035, 2 * cells_through),
        **slabs,
        "lid": profiles.revolved(lid + np.array([0.0, WALL]), lid, around, cells_through),
    }


def glued(pieces: dict, distance: float):
    """All of it as one lattice: what is added gives its nodes to what is there, but for the first."""
    whole = None
    for piece in pieces.values():
        whole = piece if whole is None else glued_by_nodes(piece, whole, distance)[0]
    return whole
