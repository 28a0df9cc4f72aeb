"""Wind on the surfaces of lattices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.arrays import ReadOnlyArrays
from ....data.surface import Surface, area_vectors
from ....data.wind import Wind
from ....fields.airflow import drag_forces
from ....geometry.embedding import Embedding, embed
from ..model import BodyModel
from .soft_bodies import SoftBodies

# Largest area of a face in the wind over its area at rest. A face whose corners are on different fragments is torn:
# it stretches without limit, and its drag would grow with the distance of the fragments. A sheet in a strong wind
# tears into 15, 13 and 12 fragments at 1, 2 and 4.
MOST_STRETCH = 2.0


@dataclass(frozen=True)
class Skin(ReadOnlyArrays):
    """The surface of a body, which follows its lattice.

    Attributes:
        body: The body.
        faces: (F, 3) faces of the surface.
        embedding: Weights of the lattice's nodes at the points of the surface.
        most_areas: (F,) m2, largest area of each face that the wind pushes.
    """

    body: BodyModel
    faces: np.ndarray
    embedding: Embedding
    most_areas: np.ndarray

    @classmethod
    def of(cls, body: BodyModel, surface: Surface) -> Skin:
        """Return the skin of a body at rest."""
        controls = body.control_points(body.model.lattice.points)
        embedding, _ = embed(surface.points, controls, body.corners)
        return cls(body, surface.faces, embedding, MOST_STRETCH * np.linalg.norm(area_vectors(surface), axis=1))


def wind_forces(winds: Sequence[Wind], soft: SoftBodies, skins: Sequence[Skin], seconds: float) -> np.ndarray:
    """Return the wind forces (N, 3) N on all nodes; each face's force is shared among the nodes of its corners."""
    result = np.zeros((len(soft.masses), 3))
    for row, skin in enumerate(skins):
        body, (positions, velocities) = skin.body, soft.nodes(row)
        # The surface point has about the velocity of its node.
        embedding = skin.embedding
        speeds = embedding.points(velocities[body.carriers])
        points = embedding.points(body.control_points(positions))
        forces = drag_forces(winds, points, speeds, skin.faces, seconds, skin.most_areas)
        nodes = soft.node_rows(row)[body.carriers[embedding.corners]]
        for corner in range(4):
            np.add.at(result, nodes[:, corner], embedding.weights[:, corner, None] * forces)
    return result
