"""Joints between the lattices of joined objects.

A joint connects two cells of different objects by springs between their nodes. Its springs break together, by the
stress on its area.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

from ...data.arrays import ReadOnlyArrays, lengths, sum_by, unit
from ...data.mixture import Mixture
from ...data.solid import SolidModel, cell_centers, cell_edge, cell_volumes, face_vectors
from .lattice import Lattice
from .state import State

# Smallest distance of the centroids of the two cells along the normal, over the size of a cell. Nearer ones would be
# stiffer than any cell. It only acts where objects overlap.
SMALLEST_DISTANCE = 0.1
# Length of a spring over the size of the cells below which it is left out: its direction would turn as it stretches.
SHORTEST = 0.2
# Weight of the squared difference from equal springs in the fit, whose other terms are of the order of 1.
REGULARISATION = 1e-3
# Nodes of the first and of the second cell of the springs between two tetrahedra.
ENDS = np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)


@dataclass(frozen=True)
class Joints(ReadOnlyArrays):
    """Joints between cells of two objects.

    Attributes:
        faces: (J,) rows of the solid's shared faces.
        normals: (J, 3) unit, from the first cell to the second.
        areas: (J,) m2.
        strengths: (J,) Pa.
        tip_shares: (J,) strength at a crack tip over that away from cracks.
        nodes: (J, 8) nodes of the two cells.
        first_cell: Row of the first joint among the cells of the lattice.
        owners: (S,) joint of each spring.
        bonds: (S,) bond of each spring.
        signs: (S,) 1 where the bond runs from the first object to the second, else -1.
        inside: (B,) bool, bonds that are no springs of joints.
    """

    faces: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    strengths: np.ndarray
    tip_shares: np.ndarray
    nodes: np.ndarray
    first_cell: int
    owners: np.ndarray
    bonds: np.ndarray
    signs: np.ndarray
    inside: np.ndarray

    def overloads(self, lattice: Lattice, state: State, tips: np.ndarray) -> np.ndarray:
        """Compute the stress of each joint over its strength.

        The stress is the largest principal one of the traction t on the joint's area, with its part t_n along the
        normal: t_n / 2 + sqrt(t_n^2 / 4 + |t - t_n n|^2). Pressure along the normal adds to the strength in shear.

        Args:
            lattice: The joined lattice.
            state: Present positions, stiffness and time.
            tips: (N,) s, time until which each node is at a crack tip.

        Returns:
            (J,); 0 for broken joints.

        Notes:
            Rankine 1857, as for bonds in the objects.

        Example:
            Two cells with centroids at a distance of 0.5 m; the joint between them has 1 GPa and a strength of 1 MPa.
            They move apart by 0.1 mm, which is a stress of 0.2 MPa.

            >>> from ...data.material import PORCELAIN
            >>> from ...data.mixture import Part
            >>> from ...data.settings.settings import ModelSettings
            >>> from ...data.solid import oriented
            >>> from .advance import initial_state
            >>> from .model import build
            >>> base = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
            >>> points = np.vstack([base, [[0.3, 0.3, -1]], base, [[0.3, 0.3, 1]]])
            >>> cells = oriented(points, np.arange(8).reshape(2, 4))
            >>> part = Part(PORCELAIN, ModelSettings())
            >>> joint = [np.array([value]) for value in (1e6, 1e9, 4e8, 10.0, 1.0, 0)]
            >>> mixture = Mixture(np.full(2, 2400.0), *joint, np.ones((1, 2)), np.arange(2), (part, part))
            >>> solid = SolidModel(points, cells, np.empty((0, 4)), [[0, 1, 2]], [[0, 1]], mixture=mixture)
            >>> body = build(solid, PORCELAIN, ModelSettings())
            >>> state = initial_state(body.model)
            >>> state.positions[body.corners[1], 2] += 1e-4
            >>> round(float(body.joints.overloads(body.model.lattice, state, np.zeros(8))[0]), 2)
            0.2
        """
        first, second = lattice.bonds[self.bonds].T
        span = state.positions[second] - state.positions[first]
        length = lengths(span)
        pull = state.stiffness[self.bonds] * (length - state.rest_lengths[self.bonds]) / length
        traction = sum_by(self.owners, (self.signs * pull)[:, None] * span, len(self.faces)) / self.areas[:, None]
        normal = np.einsum("ji,ji->j", traction, self.normals)
        shear = lengths(traction - normal[:, None] * self.normals)
        share = np.where(tips[self.nodes].max(axis=1) > state.time, self.tip_shares, 1.0)
        return (0.5 * normal + np.sqrt(0.25 * normal**2 + shear**2)) / (share * self.strengths)


def holding(joints: Joints | None, valid: np.ndarray, face_count: int) -> np.ndarray:
    """Return (F,) bool, the shared faces of a solid that are no broken joints.

    Args:
        joints: Joints of the lattice.
        valid: (K,) bool, cells of the lattice that are not broken.
        face_count: F.
    """
    result = np.ones(face_count, bool)
    if joints is not None:
        result[joints.faces] = valid[joints.first_cell :]
    return result


def parts_of_bonds(lattice: Lattice, corners: np.ndarray, mixture: Mixture) -> np.ndarray:
    """Return the row (B,) of ``mixture.parts`` of each bond of a lattice of objects that share no nodes."""
    of_node = np.empty(lattice.node_count, np.int32)
    of_node[corners] = mixture.part_of_cell[:, None]
    return of_node[lattice.bonds[:, 0]]


def part_of(lattice: Lattice, bonds: np.ndarray) -> Lattice:
    """Return the nodes and bonds of one of the objects of a lattice, without cells; ``bonds`` are its rows."""
    nodes, ends = np.unique(lattice.bonds[bonds], return_inverse=True)
    nothing = np.empty(0, np.int32)
    return Lattice(
        points=lattice.points[nodes],
        volumes=lattice.volumes[nodes],
        bonds=ends.reshape(-1, 2),
        rest_lengths=lattice.rest_lengths[bonds],
        stiffness=lattice.stiffness[bonds],
        cells=np.empty((0, 4), np.int32),
        cell_bonds=nothing,
        cell_starts=np.zeros(1, np.int32),
        part_starts=np.array([0, len(nodes)]),
    )


def with_joints(
    lattice: Lattice, corners: np.ndarray, solid: SolidModel, young_modulus: float
) -> tuple[Lattice, Joints, np.ndarray]:
    """Add the joints of a solid of several objects to its lattice.

    Args:
        lattice: Nodes and bonds of the objects.
        corners: (C, 4) nodes of the solid's cells.
        solid: Its ``mixture`` tells which shared faces are joints.
        young_modulus: Pa, that the stiffness of the lattice is relative to.

    Returns:
        The lattice, the joints, and the new rows of the bonds that it had.

    Notes:
        Own (docs/decisions/assemblies.md). Each joint has the stiffness A E / h along its normal and A G / h across it,
        with the area A, the distance h of the centroids, and the moduli of the cells and the joint in series. Springs
        between the 4 + 4 nodes are fitted to it by non-negative least squares (Lawson and Hanson 1974).

    Example:
        Two cells on both sides of their common triangle of 0.5 m2.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.mixture import Part
        >>> from ...data.settings.settings import ModelSettings
        >>> from ...data.solid import oriented
        >>> from .cells.tetrahedra import lattice_of_tetrahedra
        >>> base = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> points = np.vstack([base, [[0.3, 0.3, -1]], base, [[0.3, 0.3, 1]]])
        >>> cells = oriented(points, np.arange(8).reshape(2, 4))
        >>> part = Part(PORCELAIN, ModelSettings())
        >>> joint = [np.array([value]) for value in (1e6, 1e9, 4e8, 10.0, 1.0, 0)]
        >>> mixture = Mixture(np.full(2, 2400.0), *joint, np.ones((1, 2)), np.arange(2), (part, part))
        >>> solid = SolidModel(points, cells, np.empty((0, 4)), [[0, 1, 2]], [[0, 1]], mixture=mixture)
        >>> lattice, corners = lattice_of_tetrahedra(solid)
        >>> joined, joints, rows = with_joints(lattice, corners, solid, young_modulus=1e9)
        >>> joints.areas.tolist(), joints.normals.tolist(), len(rows), joined.bond_count == 12 + len(joints.bonds)
        ([0.5], [[0.0, 0.0, 1.0]], 12, True)
    """
    mixture = solid.mixture
    assert mixture is not None
    faces = np.flatnonzero(mixture.joints >= 0)
    pairs, vectors = solid.face_cells[faces], face_vectors(solid)[faces]
    areas, normals = lengths(vectors), unit(vectors)
    nodes = corners[pairs].reshape(-1, 8)
    ends = np.stack([nodes[:, :4][:, ENDS[0]], nodes[:, 4:][:, ENDS[1]]], axis=2)
    volumes, centers = cell_volumes(solid.points, solid.cells), cell_centers(solid.points, solid.cells)
    sizes = cell_edge(volumes[pairs].mean(axis=1))
    distances = np.einsum("ji,ji->j", centers[pairs[:, 1]] - centers[pairs[:, 0]], normals)
    scale = areas / np.maximum(distances, SMALLEST_DISTANCE * sizes) / young_modulus
    stiffness = _fitted(
        lattice.points[ends],
        normals,
        scale * mixture.young_moduli[faces],
        scale * mixture.shear_moduli[faces],
        sizes,
    )
    owners, column = np.nonzero(stiffness > 0.0)
    springs = ends[owners, column]
    signs = np.where(springs[:, 0] < springs[:, 1], 1.0, -1.0)
    springs = np.sort(springs, axis=1)
    bonds = np.concatenate([lattice.bonds, springs])
    order = np.lexsort((bonds[:, 1], bonds[:, 0]))
    rows = np.empty(len(bonds), np.int64)
    rows[order] = np.arange(len(bonds))
    rest = lengths(lattice.points[springs[:, 1]] - lattice.points[springs[:, 0]])
    old, new = np.split(rows, [lattice.bond_count])
    filler = np.full((len(lattice.cells), 8 - lattice.cells.shape[1]), -1)
    joined = replace(
        lattice,
        bonds=bonds[order],
        rest_lengths=np.concatenate([lattice.rest_lengths, rest])[order],
        stiffness=np.concatenate([lattice.stiffness, stiffness[owners, column]])[order],
        cells=np.concatenate([np.concatenate([lattice.cells, filler], axis=1), nodes]),
        cell_bonds=np.concatenate([old[lattice.cell_bonds], new]),
        cell_starts=np.concatenate(
            [lattice.cell_starts, lattice.cell_starts[-1] + np.cumsum(np.bincount(owners, minlength=len(faces)))]
        ),
    )
    inside = np.ones(len(bonds), bool)
    inside[new] = False
    joints = Joints(
        faces=faces,
        normals=normals,
        areas=areas,
        strengths=mixture.strengths[faces],
        tip_shares=mixture.size_effects[faces],
        nodes=nodes,
        first_cell=len(lattice.cells),
        owners=owners,
        bonds=new,
        signs=signs,
        inside=inside,
    )
    return joined, joints, old


def _fitted(
    ends: np.ndarray, normals: np.ndarray, along: np.ndarray, across: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Return the stiffness (J, W) of springs that together resist the motion of two cells relative to each other.

    Args:
        ends: (J, W, 2, 3) m, ends of the springs.
        normals: (J, 3) unit.
        along: (J,) stiffness along the normal.
        across: (J,) stiffness across it.
        sizes: (J,) m, size of the cells.
    """
    span = ends[:, :, 1] - ends[:, :, 0]
    length, direction = lengths(span), unit(span)
    # Force per displacement of a spring of stiffness 1.
    tensors = (direction[..., :, None] * direction[..., None, :]).reshape(*length.shape, 9)
    flat = normals[:, :, None] * normals[:, None, :]
    ratio = (across / along)[:, None, None]
    wanted = (flat + ratio * (np.eye(3) - flat)).reshape(-1, 9)
    allowed = length > SHORTEST * sizes[:, None]
    shares = np.zeros(length.shape)
    weight = np.sqrt(REGULARISATION)
    for joint in range(len(along)):
        used = np.flatnonzero(allowed[joint])
        matrix = np.concatenate([tensors[joint, used].T, weight * np.eye(len(used))])
        # The trace of the wanted tensor, divided equally among the springs.
        equal = wanted[joint, ::4].sum() / len(used)
        shares[joint, used] = nnls(matrix, np.append(wanted[joint], np.full(len(used), weight * equal)))[0]
    # The fit keeps the stiffness along the normal only approximately.
    found = np.einsum("jw,jwk,jk->j", shares, tensors, flat.reshape(-1, 9))
    return shares * (along / found)[:, None]
