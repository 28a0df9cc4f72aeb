"""One crack through a node, without its continuation."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.methods.fem.cracks.remesh import Crack, CrackPlane
from fracture_addon.core.methods.fem.state import Mesh


def split_node(mesh: Mesh, node: int, normal: np.ndarray) -> Crack:
    """Crack a node along a plane through it."""
    return CrackPlane(mesh, node, normal).crack(node)
