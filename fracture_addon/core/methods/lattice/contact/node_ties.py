"""Joints of two lattices: ties between nodes of one and points of the other, which weaken and break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ....data.arrays import sum_by, unit
from ....data.job import Body, Bond
from ....geometry.facing import contact_area
from ...joint_ties import JointLayer, share_that_holds, stable_stiffness, strength_factors
from ..model import BodyModel

# Nodes whose motion gives that of a tied point: a cube has as many.
AROUND = 8
# Distance of a node over that of the farthest one around it, below which nodes have equal weights.
NEAR = 0.1
# Spread of the nodes around a point along an axis over their largest spread, below which they are a sheet or a rope.
# Sheets that are not exactly flat would otherwise give large weights.
FLAT = 0.1


class NodeTies(NamedTuple):
    """Ties of nodes to points of another body. A tie is a spring between the node and the same place in rest space.

    Attributes:
        nodes: (T, 1 + K) the tied node, and the nodes around its point in the other body.
        weights: (T, 1 + K) the gap, from the node to the point, is the weighted sum of the places.
        turns: (T, 3, 1 + K) weighted sums that give the normal, from the first body to the second, and two directions
            across it, as the other body turns. In a sheet or a rope some are zero.
        lengths: (T,) m, rest lengths: 0 unless the other body is a sheet or a rope that the node is beside.
        limits: (T,) N, strength times area, scattered.
        stiffness: (T,) N/m.
        widths: (T,) m, openings that break them; see ``joint_ties.share_that_holds``.
    """

    nodes: np.ndarray
    weights: np.ndarray
    turns: np.ndarray
    lengths: np.ndarray
    limits: np.ndarray
    stiffness: np.ndarray
    widths: np.ndarray

    def kept(self, holds: np.ndarray) -> NodeTies:
        """Return the ties for which ``holds`` (T,) is true."""
        return NodeTies(*(values[holds] for values in self))


def node_ties(
    bond: Bond, models: tuple[BodyModel, BodyModel], jobs: tuple[Body, Body], nodes: tuple[np.ndarray, np.ndarray]
) -> NodeTies:
    """Return the ties of a joint of two lattices.

    The nodes of ropes are tied to sheets, and those of sheets to solids; else those of the finer body to the other one.

    Args:
        bond: The joint.
        models: The two lattices.
        jobs: The same bodies in the job.
        nodes: Rows of their nodes among all nodes.
    """
    order = sorted((0, 1), key=lambda side: (models[side].model.lattice.part_dimensions.max(), models[side].spacing))
    (first, second), (job, other) = (models[side] for side in order), (jobs[side] for side in order)
    rest, around = first.model.lattice.points, second.model.lattice.points
    area = contact_area(job.surface, other.surface, bond.distance, first.spacing)
    softenings = [item.settings.motion.softening for item in jobs]
    softer = min(item.material.young_modulus / softening for item, softening in zip(jobs, softenings, strict=True))
    layer = JointLayer.of(bond, area.gaps, first.spacing, softer, max(softenings))
    tied, tie = np.unique(cKDTree(rest).query(area.first)[1], return_inverse=True)
    sums = sum_by(tie, np.column_stack([area.areas, area.areas * layer.stiffness, area.normals]), len(tied))
    near = cKDTree(around).query(rest[tied], k=min(AROUND, len(around)))[1].reshape(len(tied), -1)
    weights, slopes = _weights(rest[tied], around[near])
    normals = unit(sums[:, 2:])
    across = unit(np.cross(normals, np.eye(3)[np.abs(normals).argmin(axis=1)]))
    axes = np.stack([normals, across, np.cross(normals, across)], axis=1)
    gaps = np.einsum("tk,tki->ti", weights, around[near]) - rest[tied]
    return NodeTies(
        np.column_stack([nodes[order[0]][tied], nodes[order[1]][near]]),
        np.column_stack([np.full(len(tied), -1.0), weights]),
        np.concatenate([np.zeros((len(tied), 3, 1)), axes @ slopes], axis=2),
        np.linalg.norm(gaps, axis=1),
        layer.strength * sums[:, 0] * strength_factors(bond, len(tied), jobs[0].settings.seed),
        sums[:, 1],
        np.full(len(tied), layer.width),
    )


class TiedNodes:
    """Joints of lattices in the steps of these, as ``SpringContact`` acts.

    Ties keep momentum and angular momentum. Where the stress by tension and shear reaches the strength, a tie weakens
    as it opens further, and breaks. Pressure does not weaken it.

    Args:
        ties: The ties.
        largest: (N,) N/m, largest stiffness at each node for which steps are stable.

    Notes:
        Own (docs/decisions/rigid_joints.md). The weights are those of a linear fit by least squares to the nodes around
        a point, the nearer ones more (Lancaster and Salkauskas 1981).

    Example:
        A node is tied to the middle of two others, with 1 kN/m. It is 1 mm below it, and breaks off at 0.9 N.

        >>> turns = np.zeros((1, 3, 3))
        >>> both = np.array([[0, 1, 2]]), np.array([[-1.0, 0.5, 0.5]]), turns, np.zeros(1)
        >>> places, forces = np.array([[0.0, 0, -1e-3], [-1, 0, 0], [1, 0, 0]]), np.zeros((3, 3))
        >>> tied = TiedNodes(NodeTies(*both, np.array([0.9]), np.array([1e3]), np.zeros(1)), np.full(3, np.inf))
        >>> tied.push(places, places, forces)
        >>> forces[:, 2].round(9).tolist()
        [1.0, -0.5, -0.5]
        >>> tied.finish_step(1e-3)
        >>> tied.count
        0
    """

    def __init__(self, ties: NodeTies, largest: np.ndarray):
        shares = np.abs(ties.weights) * np.abs(ties.weights).sum(axis=1, keepdims=True)
        self._ties = ties._replace(stiffness=stable_stiffness(ties.stiffness, ties.nodes, shares, largest))
        self._numbers, self._share = np.arange(self.count), np.ones(self.count)
        self.start_step()

    @property
    def count(self) -> int:
        """Number of ties that hold."""
        return len(self._ties.nodes)

    def start_step(self) -> None:
        """Start a step, and forget the forces of one that was not finished."""
        self._pull = np.zeros((self.count, 3))

    def push(self, positions: np.ndarray, _velocities: np.ndarray, forces: np.ndarray, share: float = 1.0) -> None:
        """Add the forces of the ties to ``forces`` (N, 3) N, with a weight in the step."""
        ties = self._ties
        self._places = positions[ties.nodes]
        gaps = np.einsum("tk,tki->ti", ties.weights, self._places)
        length = np.maximum(np.linalg.norm(gaps, axis=1), np.finfo(float).tiny)
        pull = (self._share * ties.stiffness * (1.0 - ties.lengths / length))[:, None] * gaps
        np.subtract.at(forces, ties.nodes, ties.weights[:, :, None] * pull[:, None])
        self._pull += share * pull

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Ties have no friction."""

    def finish_step(self, _step: float) -> None:
        """Weaken and break ties."""
        ties = self._ties
        if not (np.linalg.norm(self._pull, axis=1) > self._share * ties.limits).any():
            return
        normal, one, two = np.einsum("tak,tki->ati", ties.turns, self._places)
        normals = unit(normal + np.cross(one, two))
        along = np.einsum("ti,ti->t", self._pull, normals)
        across = np.linalg.norm(self._pull - along[:, None] * normals, axis=1)
        opening = np.hypot(np.maximum(along, 0.0), across)
        self._share = share_that_holds(self._share, opening, ties.limits, ties.stiffness, ties.widths)
        if not self._share.min() > 0.0:
            self._keep(self._share > 0.0)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the ties that hold; see ``restore``."""
        return {"numbers": self._numbers, "share": self._share}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot`` of the same joints."""
        self._keep(np.isin(self._numbers, snapshot["numbers"]))
        self._share = np.array(snapshot["share"])

    def _keep(self, holds: np.ndarray) -> None:
        self._ties, self._numbers, self._share = self._ties.kept(holds), self._numbers[holds], self._share[holds]
        self.start_step()


def _weights(places: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return weights of nodes (T, K, 3) whose weighted sum is nearest to places (T, 3), and the slopes of the fit.

    Returns:
        (T, K), with a sum of 1; and (T, 3, K) with sums of 0, which give the change of a value along each axis, 1/m.
    """
    distances = np.linalg.norm(nodes - places[:, None], axis=2)
    size = distances.max(axis=1, keepdims=True)
    roots = 1.0 / np.hypot(distances, NEAR * size)
    shares = roots**2 / (roots**2).sum(axis=1, keepdims=True)
    center = np.einsum("tk,tki->ti", shares, nodes)
    weighted = roots[:, :, None] * (nodes - center[:, None])
    slopes = np.linalg.pinv(weighted, rcond=FLAT) * roots[:, None]
    return shares + np.einsum("tik,ti->tk", slopes, places - center), slopes
