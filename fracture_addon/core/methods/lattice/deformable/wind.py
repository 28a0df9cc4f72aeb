"""Air on the surfaces of lattices: wind on ropes and solids, still and moving air on sheets and shells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.arrays import ReadOnlyArrays
from ....data.job import Body
from ....data.surface import Surface, area_vectors
from ....data.wind import Wind
from ....fields.airflow import drag_forces, velocity
from ....fields.plate_air import plate_forces
from ....geometry.embedding import Embedding, embed
from ..model import BodyModel
from .soft_bodies import SoftBodies

# Largest area of a face in the wind over its area at rest. A face whose corners are on different fragments is torn:
# it stretches without limit, and its drag would grow with the distance of the fragments. A sheet in a strong wind
# tears into 15, 13 and 12 fragments at 1, 2 and 4.
MOST_AREA = 2.0


@dataclass(frozen=True)
class Skin(ReadOnlyArrays):
    """The surface of a body, or the middle surface of a sheet or a shell, which follows its lattice.

    Attributes:
        body: The body.
        is_plate: Whether it is a middle surface, with air on both sides.
        faces: (F, 3) faces of the surface.
        embedding: Weights of the lattice's nodes at the points of the surface.
        cells: (F,) cell of the body's solid at the first corner of each face.
        most_areas: (F,) m2, largest area of each face that the air pushes.
        masses: (F,) kg, share of the body's mass in each face, by its area.
    """

    body: BodyModel
    is_plate: bool
    faces: np.ndarray
    embedding: Embedding
    cells: np.ndarray
    most_areas: np.ndarray
    masses: np.ndarray

    @classmethod
    def of(cls, body: BodyModel, item: Body) -> Skin:
        """Return the skin of a body at rest."""
        surface, is_plate = item.surface, False
        if item.thin is not None and not item.thin.is_line:
            quads, is_plate = item.thin.cells, True
            halves = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
            surface = Surface(item.thin.points, halves[halves[:, 1] != halves[:, 2]])
        controls = body.control_points(body.model.lattice.points)
        embedding, cells = embed(surface.points, controls, body.corners)
        areas = np.linalg.norm(area_vectors(surface), axis=1)
        masses = body.model.masses.sum() * areas / max(areas.sum(), 1e-300)
        return cls(body, is_plate, surface.faces, embedding, cells[surface.faces[:, 0]], MOST_AREA * areas, masses)


def air_forces(
    winds: Sequence[Wind], soft: SoftBodies, skins: Sequence[Skin], seconds: float, held: float
) -> np.ndarray:
    """Return the forces (N, 3) N of the air on all nodes; each face's force is shared among the nodes of its corners.

    Args:
        winds: Winds, whose velocities are added; without any the air is still.
        soft: The bodies.
        skins: Their surfaces.
        seconds: Time since the start.
        held: s, for which the forces act.
    """
    result = np.zeros((len(soft.masses), 3))
    for row, skin in enumerate(skins):
        if not winds and not skin.is_plate:
            continue
        body, (positions, velocities) = skin.body, soft.nodes(row)
        # The surface point has about the velocity of its node.
        embedding = skin.embedding
        speeds = embedding.points(velocities[body.carriers])
        points = embedding.points(body.control_points(positions))
        if skin.is_plate:
            whole = soft.intact_cells(row).all()
            fragments = None if whole else soft.labels(row)[skin.cells]
            forces = _plate(winds, skin, points, speeds, fragments, seconds, held)
        else:
            forces = drag_forces(winds, points, speeds, skin.faces, seconds, skin.most_areas)
        nodes = soft.node_rows(row)[body.carriers[embedding.corners]]
        for corner in range(4):
            np.add.at(result, nodes[:, corner], embedding.weights[:, corner, None] * forces)
    return result


def _plate(
    winds: Sequence[Wind],
    skin: Skin,
    points: np.ndarray,
    speeds: np.ndarray,
    fragments: np.ndarray | None,
    seconds: float,
    held: float,
) -> np.ndarray:
    """Return the forces (P, 3) N on the points of a middle surface.

    The air cannot change the velocity of a face by more than the fastest face of its fragment has relative to the air.
    Without this limit the velocities of light plates in a storm grow without bound, because the forces are held.
    """
    areas = area_vectors(Surface(points, skin.faces))
    stretch = np.linalg.norm(areas, axis=1) / np.maximum(skin.most_areas, 1e-300)
    areas = areas / np.maximum(stretch, 1.0)[:, None]
    centers = points[skin.faces].mean(axis=1)
    moving = speeds[skin.faces].mean(axis=1) - sum(velocity(wind, centers, seconds) for wind in winds)
    pushes = plate_forces(centers, areas, moving, fragments)
    labels = np.zeros(len(centers), np.intp) if fragments is None else fragments
    fastest = np.zeros(labels.max(initial=0) + 1)
    np.maximum.at(fastest, labels, np.linalg.norm(moving, axis=1))
    most = skin.masses * fastest[labels] / held
    thirds = pushes * (most / np.maximum(np.linalg.norm(pushes, axis=1), np.maximum(most, 1e-300)))[:, None] / 3.0
    forces = np.zeros_like(points)
    for corner in range(3):
        np.add.at(forces, skin.faces[:, corner], thirds)
    return forces
