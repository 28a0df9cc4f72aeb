"""Result of a deformable body: its fragments, and the positions of its nodes on all frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....data.material import Material
from ....data.settings.settings import StrikeSettings
from ....data.solid import face_vectors
from ...break_result import split, with_smallest_fragment
from ...method import RigidMotion
from ...rigid_components import cells_of
from ...whole_shot import Deformation
from ..state import Mesh, component_of_element, rest_solid
from ..stress import on_all_nodes

# Smallest fragment, in elements of mean volume. Sensitive: 2, 4 and 8 give 33, 19 and 9 fragments of an impact
# (docs/decisions/constants.md).
SMALLEST_FRAGMENT = 4.0


def deformation(
    mesh: Mesh,
    material: Material,
    settings: StrikeSettings,
    cell_count: int,
    crushed: np.ndarray,
    frames: Sequence[np.ndarray],
) -> Deformation:
    """Label the fragments of a mesh, and extend the recorded frames to all its nodes.

    Args:
        mesh: The mesh at the end.
        material: Its material.
        settings: StrikeSettings of the body; ``dust_volume`` is used.
        cell_count: Elements of the uncracked body.
        crushed: (E,) bool, crushed elements.
        frames: Positions (M, 3) m of the nodes that existed on each frame.
    """
    solid, rows = rest_solid(mesh), np.flatnonzero(~mesh.ghost)
    component = component_of_element(mesh)[rows]
    zero, at_rest = np.zeros((len(rows), 3)), RigidMotion(np.zeros(3), np.zeros(3))
    labels = split(
        cells_of(solid, material),
        solid.face_cells,
        np.linalg.norm(face_vectors(solid), axis=1),
        component[solid.face_cells[:, 0]] == component[solid.face_cells[:, 1]],
        zero,
        zero,
        at_rest,
        with_smallest_fragment(settings, SMALLEST_FRAGMENT, cell_count).changed(dust="merge"),
        load_factor=0.0,
        solve_count=0,
    ).fragment_of_cell
    by_volume = np.argsort(np.bincount(component, mesh.volume[rows]), kind="stable")
    main_component = np.full(labels.max() + 1, -1)
    fragment_of_component = np.zeros(component.max() + 1, np.int64)
    fragment_of_component[component] = labels
    # The largest component of a fragment is written last.
    main_component[fragment_of_component[by_volume]] = by_volume
    intact = (component == main_component[labels]) & ~crushed[rows]
    paths = np.stack([on_all_nodes(mesh, frame).astype(np.float32) for frame in frames])
    # Cells that move with their fragment carry the surface on all frames. Merged dust and crushed cells do not.
    own, never = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    corners = mesh.elements[rows]
    return Deformation(
        solid=solid,
        fragment_of_cell=labels,
        owners=own,
        rest=mesh.rest.copy(),
        corners=corners,
        paths=paths,
        broken=never,
        intact=intact,
        bond_count=solid.face_count,
    )
