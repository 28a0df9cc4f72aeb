"""Make chips.jpg (a cut ball, with chips off its edges, and where its edges wear) and many_pieces.jpg (one in 2,000).

python docs/images/pieces.py [chips many_pieces]
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
from scipy.spatial import cKDTree

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "gallery")]

import stage  # noqa: E402

from fracture_addon.core.cutting import chipping, fragments  # noqa: E402
from fracture_addon.core.data.job import Settings  # noqa: E402
from fracture_addon.core.data.solid import SolidModel, cell_centers  # noqa: E402
from fracture_addon.core.data.surface import Surface  # noqa: E402
from fracture_addon.core.geometry.surface_attributes import EDGE_WEAR  # noqa: E402
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize  # noqa: E402
from fracture_addon.core.methods.method import Break  # noqa: E402

RADIUS, SEED, VIEW, SIZE = 0.1, 4, (0.5, -1.0, 0.45), (400, 360)
FEW, MANY, CELLS, MANY_CELLS, CHIPS = 9, 2000, 4000, 16_000, 0.6
# How far pieces go outwards, over their distance from the middle.
APART, FAR_APART = 0.25, 0.8
# Edges are worn up to this far from a crack, metres.
WORN = 0.004
STONE = (0.33, 0.30, 0.27)


def ball() -> Surface:
    """A ball of 20 thousand triangles."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=RADIUS)
    mesh = bpy.context.object.data
    points, faces = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.polygons), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.polygons.foreach_get("vertices", faces)
    return Surface(points.reshape(-1, 3), faces.reshape(-1, 3))


def labels_of(solid: SolidModel, count: int) -> np.ndarray:
    """Return the nearest of ``count`` random points of the ball for each cell, (C,)."""
    random = np.random.default_rng(SEED)
    places = random.normal(size=(count, 3))
    places *= RADIUS * np.cbrt(random.random((count, 1))) / np.linalg.norm(places, axis=1, keepdims=True)
    found = cKDTree(places).query(cell_centers(solid.points, solid.cells))[1]
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


def apart(pieces, share: float, worn: bool = False) -> list[stage.Solid]:
    """Pieces moved outwards; crack faces are paler, or what is worn is."""
    solids = []
    for row, piece in enumerate(pieces):
        surface = piece.surface
        moved = Surface(surface.points + share * surface.points.mean(axis=0), surface.faces)
        paler = piece.interior
        if worn:
            paler = surface.corner_attributes[EDGE_WEAR].mean(axis=(1, 2)) < WORN
        color = STONE if share < FAR_APART else stage.fragment_color(row, 0.07, 0.25)
        solids.append(stage.Solid(moved, color, paler))
    return solids


def chips() -> None:
    """Three tiles of one ball."""
    whole = ball()
    solid = tetrahedralize(whole, CELLS, SEED)
    labels = labels_of(solid, FEW)
    count = labels.max() + 1
    still = np.zeros((count, 3))
    broken = Break(labels, still, still, 1.0, 0, 0, 0.0, np.ones(count, bool))
    settings = Settings.of(seed=SEED, relief="granular", roughness=0.5, fractal_depth=1, dust_volume=0.0)
    tiles = []
    for caption, share, worn in (
        ("as cut", 0.0, False),
        (f"chips {CHIPS:g}", CHIPS, False),
        (f"fracture_edge_wear below {1e3 * WORN:g} mm", 0.0, True),
    ):
        chosen = chipping.chipped(broken, solid, share, SEED).fragment_of_cell
        pieces = fragments.cut(whole, solid, chosen, settings)
        tiles.append((caption, stage.picture(apart(pieces, APART, worn), VIEW, size=SIZE, floor=None)))
    stage.sheet([tiles], FOLDER / "chips.jpg")


def many_pieces() -> None:
    """One tile of a ball in very many pieces."""
    whole = ball()
    solid = tetrahedralize(whole, MANY_CELLS, SEED)
    pieces = fragments.cut(whole, solid, labels_of(solid, MANY), Settings.of(seed=SEED))
    shown = apart(pieces, FAR_APART)
    stage.sheet(
        [[(f"{len(pieces):,} pieces", stage.picture(shown, VIEW, size=(560, 480), floor=None))]],
        FOLDER / "many_pieces.jpg",
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or ("chips", "many_pieces"):
        {"chips": chips, "many_pieces": many_pieces}[name]()
