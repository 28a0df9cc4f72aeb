"""The ties of joints of deformable bodies: which nodes they hold, how stiffly, and how strongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays, sum_by, unit
from ..data.job import Body, Bond
from ..fields.strength import WEAKEST
from ..geometry.facing import contact_area
from ..numerics.random_streams import rng
from .whole_shot import RigidJoint


@dataclass(frozen=True)
class JointLayer(ReadOnlyArrays):
    """Values of a joint of which at least one side is deformable.

    Attributes:
        stiffness: (T,) Pa/m, stress per gap at each sample of its area.
        strength: Pa, the largest stress.
        width: m, opening that breaks it, after the stress has fallen from its peak to 0.
    """

    stiffness: np.ndarray
    strength: float
    width: float

    @classmethod
    def of(cls, bond: Bond, gaps: np.ndarray, spacing: float, young_modulus: float, softening: float) -> JointLayer:
        """Return the values of a joint.

        The joint and a layer of the softer body as thick as a cell are springs in series: 1 / k = s t / E_joint +
        h / E_body. Softening s divides the strength by its root, as those of the bodies, so that the weaker one of
        joint and body stays the weaker one. The energy is that of the material's toughness, K^2 (1 - nu^2) / E, as far
        as the joint opens by no more than a cell.

        Args:
            bond: Material and thickness t, m; with a thickness of 0 it is that of the gaps.
            gaps: (T,) m, gaps between the two bodies.
            spacing: h, m, size of the cells.
            young_modulus: E_body, Pa, of the softer body, softened.
            softening: s, the largest of the two bodies.

        Returns:
            Stiffness, strength and width.

        Notes:
            Own; see ``fem.materials.softening.softened`` for the root. Camanho and Davila 2002: a linear fall.

        Example:
            A joint of no thickness is as stiff as a cell of 1 cm: 1 MPa at a gap of 1 cm.

            >>> from ..data.material import Material
            >>> glue = Bond(0, 1, Material("Glue", 1200.0, 3e9, 0.35, 10e6, 80e6, 0.6e6), 0.01)
            >>> layer = JointLayer.of(glue, np.zeros(1), 0.01, 1e6, softening=4.0)
            >>> layer.stiffness.tolist(), layer.strength
            ([100000000.0], 5000000.0)
        """
        thickness = gaps if bond.thickness == 0.0 else np.full(len(gaps), bond.thickness)
        compliance = softening * thickness / bond.material.young_modulus + spacing / young_modulus
        material = bond.material
        strength = material.tensile_strength / float(np.sqrt(softening))
        energy = material.toughness**2 * (1.0 - material.poisson_ratio**2) / material.young_modulus
        return cls(1.0 / compliance, strength, min(2.0 * energy / strength, spacing))


class Ties(NamedTuple):
    """Ties of deformable bodies to rigid ones. A tie is a spring of length zero between a node and a rigid point.

    Attributes:
        rows: (T,) array of nodes that each tied node is in: the row of its body, or 0 if one array has all nodes.
        nodes: (T,) tied nodes.
        owners: (T,) the collider that each node is tied to.
        rest: (T, 3) m, places of the nodes in rest space. The rigid point is the same place.
        normals: (T, 3) unit, from the deformable body to the rigid one, at rest.
        limits: (T,) N, strength times area, scattered.
        stiffness: (T,) N/m.
        widths: (T,) m, openings that break them; see ``share_that_holds``.
    """

    rows: np.ndarray
    nodes: np.ndarray
    owners: np.ndarray
    rest: np.ndarray
    normals: np.ndarray
    limits: np.ndarray
    stiffness: np.ndarray
    widths: np.ndarray


def ties_of(
    joint: RigidJoint,
    body: Body,
    rest: np.ndarray,
    spacing: float,
    young_modulus: float,
    largest: np.ndarray,
) -> Ties:
    """Return the ties of one joint, in row 0.

    Each sample of the area belongs to the node that is nearest to it.

    Args:
        joint: The joint.
        body: The deformable body.
        rest: (N, 3) m, its nodes in rest space.
        spacing: m, size of its cells.
        young_modulus: Pa, softened.
        largest: (N,) N/m, largest stiffness at each node for which steps are stable.
    """
    settings = body.settings
    area = contact_area(body.surface, joint.surface, joint.bond.distance, spacing)
    layer = JointLayer.of(joint.bond, area.gaps, spacing, young_modulus, settings.motion.softening)
    nodes, tie = np.unique(cKDTree(rest).query(area.first)[1], return_inverse=True)
    sums = sum_by(tie, np.column_stack([area.areas, area.areas * layer.stiffness, area.normals]), len(nodes))
    return Ties(
        np.zeros(len(nodes), np.int64),
        nodes,
        np.full(len(nodes), joint.collider),
        rest[nodes],
        unit(sums[:, 2:]),
        layer.strength * sums[:, 0] * strength_factors(joint.bond, len(nodes), settings.seed),
        np.minimum(sums[:, 1], largest[nodes]),
        np.full(len(nodes), layer.width),
    )


def strength_factors(bond: Bond, count: int, seed: int) -> np.ndarray:
    """Return the random strength of ties of a joint over their mean.

    Args:
        bond: The joint, whose material has the scatter.
        count: T, number of ties.
        seed: Seed of one of the bodies.

    Returns:
        (T,) with a mean of 1, at least ``WEAKEST``.

    Notes:
        Own: the normal law of joints of rigid bodies (``timeline.joined_solid``), without its size effect. Ties give
        way slowly and others take over, so a joint carries their mean strength and not the smallest one.

    Example:
        >>> from ..data.joint_kinds import JOINT_KINDS
        >>> factors = strength_factors(Bond(0, 1, JOINT_KINDS["mortar"].material, 0.01), 10000, seed=7)
        >>> factors.mean().round(2).item(), factors.std().round(2).item()
        (1.0, 0.32)
    """
    random = rng((seed, bond.first, bond.second), "joint strength")
    return np.maximum(1.0 + bond.material.strength_variation * random.standard_normal(count), WEAKEST)


def stable_stiffness(stiffness: np.ndarray, nodes: np.ndarray, shares: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """Return the stiffness (T,) N/m of ties, lowered where the steps would not be stable.

    Args:
        stiffness: (T,) N/m.
        nodes: (T, K) nodes of each tie.
        shares: (T, K) stiffness at each node over that of the tie.
        largest: (N,) N/m, largest stiffness at each node.

    Returns:
        (T,) N/m.

    Notes:
        Gershgorin 1931: a row of the stiffness over the mass bounds the square of the frequencies.

    Example:
        Two ties of 1 kN/m hold a node that takes 1 kN/m.

        >>> stable_stiffness(np.full(2, 1e3), np.zeros((2, 1), int), np.ones((2, 1)), np.array([1e3])).tolist()
        [500.0, 500.0]
    """
    total = np.bincount(nodes.ravel(), (stiffness[:, None] * shares).ravel(), len(largest))
    return stiffness / np.maximum((total / largest)[nodes].max(axis=1, initial=1.0), 1.0)


def share_that_holds(
    share: np.ndarray, forces: np.ndarray, limits: np.ndarray, stiffness: np.ndarray, widths: np.ndarray
) -> np.ndarray:
    """Return the share of its stiffness that each tie still has; 0 if it is broken.

    Beyond the opening d at the peak force, the force falls linearly to 0 at the opening w.

    Args:
        share: (T,) the present share.
        forces: (T,) N, the forces that open the ties now.
        limits: (T,) N, peak forces.
        stiffness: (T,) N/m, of whole ties.
        widths: (T,) m, w; a tie with w below d breaks at its peak.

    Returns:
        (T,) 0 to 1.

    Notes:
        Camanho and Davila 2002, with one opening for tension and shear.

    Example:
        A tie of 1 kN/m has its peak of 1 N at 1 mm and breaks at 3 mm. At 2 mm it has 0.5 N.

        >>> one = np.ones(1)
        >>> share = share_that_holds(one, 2.0 * one, one, 1e3 * one, 3e-3 * one)
        >>> share.tolist(), share_that_holds(share, 0.75 * one, one, 1e3 * one, 3e-3 * one).tolist()
        ([0.25], [0.0])
    """
    openings, last = forces / (share * limits), np.maximum(widths * stiffness / limits, 1.0)
    wide = np.maximum(openings, 1.0)
    falling = np.maximum(last - wide, 0.0) / np.maximum((last - 1.0) * wide, np.finfo(float).tiny)
    return np.where(openings > 1.0, np.minimum(share, falling), share)
