"""What became of a body that deformed for a whole shot: its pieces, and where its nodes were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel, face_vectors
from ..fragments import split
from ..method import RigidMotion
from ..rigid_parts import cells_of
from .mesh import Mesh, component_of_element, rest_solid
from .stress import on_all_nodes

# Pieces below the volume of this many elements of the uncracked body are dust: nothing of them was resolved.
SMALLEST_PIECE = 4.0


@dataclass(frozen=True)
class Shown:
    """What became of a body.

    Attributes:
        solid: In rest space, as cracks divided it.
        fragment_of_cell: (C,) int32 by falling volume; dust has joined its neighbours.
        rest: (N, 3) m, nodes in rest space.
        cells: (C, 4) int32, nodes of each cell.
        bears: (C,) bool, cells that go along with their fragment: no dust in it, and not crushed.
        paths: (T, N, 3) float32 m, nodes on all frames that were recorded.
        crack_count: Cracks through one node each.
    """

    solid: SolidModel
    fragment_of_cell: np.ndarray
    rest: np.ndarray
    cells: np.ndarray
    bears: np.ndarray
    paths: np.ndarray
    crack_count: int


def shown(
    mesh: Mesh,
    material: Material,
    settings: Settings,
    cell_count: int,
    crushed: np.ndarray,
    frames: Sequence[np.ndarray],
    crack_count: int,
) -> Shown:
    """What there is to see.

    Args:
        mesh: As it is at the end.
        material: What it is of.
        settings: Of the body; dust counts.
        cell_count: Elements of the uncracked body.
        crushed: (E,) bool, elements that bear nothing any more.
        frames: Positions (N, 3) m of the nodes that there were, frame by frame.
        crack_count: As in ``Shown``.
    """
    solid, rows = rest_solid(mesh), np.flatnonzero(~mesh.ghost)
    component = component_of_element(mesh)[rows]
    nothing, still = np.zeros((len(rows), 3)), RigidMotion(np.zeros(3), np.zeros(3))
    dust = max(settings.dust_volume, SMALLEST_PIECE / cell_count)
    labels = split(
        cells_of(solid, material),
        solid.face_cells,
        np.linalg.norm(face_vectors(solid), axis=1),
        component[solid.face_cells[:, 0]] == component[solid.face_cells[:, 1]],
        nothing,
        nothing,
        still,
        replace(settings, dust="merge", dust_volume=dust),
        load_factor=0.0,
        solve_count=0,
    ).fragment_of_cell
    largest = np.argsort(np.bincount(component, mesh.volume[rows]), kind="stable")
    main = np.full(labels.max() + 1, -1)
    fragment_of = np.zeros(component.max() + 1, np.int64)
    fragment_of[component] = labels
    main[fragment_of[largest]] = largest
    bears = (component == main[labels]) & ~crushed[rows]
    paths = np.stack([on_all_nodes(mesh, frame).astype(np.float32) for frame in frames])
    return Shown(solid, labels, mesh.rest.copy(), mesh.elements[rows], bears, paths, crack_count)
