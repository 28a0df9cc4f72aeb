"""Recorded states of a lattice that deforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..model import BodyModel

# Weight of a broken cell of a sheet in the normals at its corners, relative to an intact one. It is above zero, so that
# a corner with only broken cells still has a normal. From 1e-8 to 1e-4, fragments and points of a torn sheet stay the
# same to six digits.
BROKEN_WEIGHT = 1e-6
# Value of a checkpoint for an event that has not happened.
NEVER = -1


@dataclass
class History:
    """Recorded states of a body's lattice.

    Attributes:
        nodes: (T, N, 3) m, float32.
        broken: (K,) first frame on which each cell is broken; T for never.
        alone: (N,) first frame on which each node has no bond; T for never.
    """

    nodes: np.ndarray
    broken: np.ndarray
    alone: np.ndarray

    @classmethod
    def of(cls, frames: int, nodes: int, cells: int) -> History:
        """Return a history without recorded frames."""
        return cls(np.empty((frames, nodes, 3), np.float32), np.full(cells, frames), np.full(nodes, frames))

    def record(self, frame: int, positions: np.ndarray, whole: np.ndarray, alone: np.ndarray) -> None:
        """Record a frame.

        Args:
            frame: Row of the frame.
            positions: (N, 3) m.
            whole: (K,) bool, cells without a broken bond.
            alone: (N,) bool, nodes without a bond.
        """
        self.nodes[frame] = positions
        self.broken[~whole & (self.broken > frame)] = frame
        self.alone[alone & (self.alone > frame)] = frame

    def until(self, frame: int) -> dict[str, np.ndarray]:
        """Return the recorded values up to a frame, for a checkpoint."""
        broken, alone = (np.where(frames > frame, NEVER, frames) for frames in (self.broken, self.alone))
        return {"nodes": self.nodes[: frame + 1], "broken": broken, "alone": alone}

    def restore(self, values: Mapping[str, np.ndarray]) -> None:
        """Restore the values that ``until`` returned."""
        self.nodes[: len(values["nodes"])] = values["nodes"]
        for frames, name in ((self.broken, "broken"), (self.alone, "alone")):
            frames[:] = np.where(values[name] < 0, len(self.nodes), values[name])

    def carrier_paths(self, body: BodyModel) -> np.ndarray:
        """Return the paths (T, M, 3) m, float32, of the points that carry the surface of a lattice's body."""
        result = np.empty((len(self.nodes), len(body.carriers), 3), np.float32)
        before: list[np.ndarray] = []
        for frame, nodes in enumerate(self.nodes):
            weights = np.where(self.broken > frame, 1.0, BROKEN_WEIGHT)
            result[frame] = body.control_points(nodes.astype(float), before, weights)
        return result
