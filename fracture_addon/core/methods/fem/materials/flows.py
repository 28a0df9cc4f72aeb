"""Yield criteria of the objects of a mesh."""

from __future__ import annotations

import numpy as np

from ....data.material import Material
from ..state import Mesh
from .plasticity import Flow, flow_of


def flows_of(mesh: Mesh, material: Material) -> list[tuple[Flow, np.ndarray | None]]:
    """Return the criterion of each material that yields, with the cells (C,) bool that consist of it.

    Args:
        mesh: The mesh.
        material: Material of a body of one object; all of its cells are then ``None``.
    """
    if mesh.objects is None:
        flow = flow_of(material)
        return [] if flow is None else [(flow, None)]
    found = [(flow_of(part.material), mesh.objects.of_cell == row) for row, part in enumerate(mesh.objects.parts)]
    return [(flow, cells) for flow, cells in found if flow is not None]
