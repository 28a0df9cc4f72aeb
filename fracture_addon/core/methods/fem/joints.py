"""Joints between the objects of a mesh: layers with a stiffness and a strength of their own.

Each face between two objects (``Mixture``) is a spring of length zero between two points that are one point in rest
space, one in an element of each object.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, eigh
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from ...data.arrays import lengths, unit
from ...data.mixture import NO_JOINT, Mixture
from ...data.solid import SolidModel, face_vectors
from .cracks.toughness import CONTINUES
from .elements import deformation_gradients
from .kernels.joint_kernels import _pull_kernel
from .places import Side
from .state import Mesh, rest_solid

# Time step of a body with joints over that of its elements alone. Then the square of the step times that of the fastest
# frequency of the elements is at most 1.6, and 2.4 are left for the joints: leapfrog is stable up to 4.
STEP_SHARE = 0.7
# Largest sum of the stiffness of joints at a node, times the square of the time step, over the mass of the node.
STABLE = 1.5
# Compliance that is added to a joint, over that of an element beside it: half an element on each side. Insensitive: two
# blocks that touch break at 43 to 49 kN with 0.25, 44 to 48 kN with 1 and 45 to 46 kN with 2 (three meshes).
ADDED = 1.0
# Radius of the area over which the traction of a joint is a mean, over the size of the elements beside it. The stress
# of blocks that touch is 1.21 to 1.29 times that of beam theory in tension, and 0.76 to 1.09 in bending; 1.40 to 1.68
# and 1.45 to 1.71 without a mean, 1.16 to 1.22 and 0.42 to 1.00 with a radius of 1 (100 to 6,000 elements).
MEAN_RADIUS = 0.75
# Weight of a node in a joint from which the node lies on the joint. Four meshes of 600 elements break at 47 to 53 kN
# with 0.02; with 0.1 one of them breaks at 35 kN, at a node that was not limited.
ON_JOINT = 0.02
# Square of a frequency over the largest one of a joint below which two objects turn freely.
HINGE = 1e-6


class Joints:
    """Joints between the objects of a mesh.

    A joint has the stiffness of its layer and of half an element on each side, along the normal and across it. It
    breaks if the largest principal stress of the mean force on the area around it is above its strength; beside a
    broken joint, above the strength that its toughness gives. Pressure does not break it, and a broken joint still
    carries pressure, without friction.

    Attributes:
        holds: (J,) bool, joints that are not broken.

    Args:
        mesh: The uncracked mesh.
        solid: Its cells; the ``mixture`` has the values of the joints.
        step: s, explicit time step.

    Notes:
        Own (docs/decisions/assemblies.md).

    Example:
        Two elements on both sides of a joint of 1/2 m2 with 2 MPa/m along its normal. A gap of 1 mm pulls with 1 kN,
        which is a fifth of the strength.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.mixture import Part
        >>> from ...data.settings.settings import ModelSettings
        >>> from ...data.solid import oriented
        >>> from .state import from_solid
        >>> base = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> points = np.vstack([base, [[0.3, 0.3, -1]], base, [[0.3, 0.3, 1]]])
        >>> cells = oriented(points, np.arange(8).reshape(2, 4))
        >>> part = Part(PORCELAIN, ModelSettings())
        >>> values = [np.array([value]) for value in (1e4, 1e9, 4e8, 10.0, 1.0, 0)]
        >>> mixture = Mixture(np.full(2, 2400.0), *values, np.array([[2e6, 1e6]]), np.arange(2), (part, part))
        >>> solid = SolidModel(points, cells, np.empty((0, 4)), [[0, 1, 2]], [[0, 1]], mixture=mixture)
        >>> mesh = from_solid(solid, 2400.0)
        >>> joints, load = Joints(mesh, solid, 1e-9), np.zeros((8, 3))
        >>> mesh.position[4:, 2] += 1e-3
        >>> joints.pull(load)
        >>> (load[:4].sum(axis=0).round(0) + 0.0).tolist(), joints.overloads().round(3).tolist()
        ([0.0, 0.0, 1000.0], [0.2])
    """

    def __init__(self, mesh: Mesh, solid: SolidModel, step: float):
        mixture = solid.mixture
        assert mixture is not None
        self._mesh, self._solid, self._mixture = mesh, solid, mixture
        self._rows = np.flatnonzero(mixture.joints >= 0)
        self._corners = solid.points[solid.faces[self._rows]]
        vectors, pairs = face_vectors(solid)[self._rows], solid.face_cells[self._rows]
        self._areas, self._rest_normals = lengths(vectors), unit(vectors)
        self._strengths, self._tip_shares = mixture.strengths[self._rows], mixture.size_effects[self._rows]
        points = self._corners.mean(axis=1)
        self._sides = [Side.in_cells(row, mesh, points, cells) for row, cells in enumerate(pairs.T)]
        self._around = solid.cells[pairs].reshape(-1, 8)
        self._stiffness = self._stable(self._layers(pairs) * self._areas[:, None], step)
        self._normals = self._rest_normals
        self._moduli = self._typical()
        self._nearby = self._neighbours(points, pairs)
        self.holds = np.ones(len(self._rows), bool)
        self._gather()

    @property
    def elements(self) -> np.ndarray:
        """Elements (J, 2) of the joints."""
        return np.stack([side.elements for side in self._sides], axis=1)

    @property
    def slowest(self) -> float:
        """Half of the longest period, s, in which two joined objects vibrate on their joint as rigid bodies."""
        of_bond = self._mixture.joints[self._rows]
        squares = [self._lowest(np.flatnonzero(of_bond == bond)) for bond in np.unique(of_bond)]
        return float(np.pi / np.sqrt(min(squares))) if squares else 0.0

    def _lowest(self, mine: np.ndarray) -> float:
        """Return the lowest square of an angular frequency, 1/s2, of two rigid objects on their joints ``mine``."""
        mesh, rows = self._mesh, np.flatnonzero(~self._mesh.ghost)
        places = self._corners[mine].mean(axis=1)
        normals, stiffness = self._rest_normals[mine], self._stiffness[mine]
        flat = normals[:, :, None] * normals[:, None, :]
        tensors = stiffness[:, 0, None, None] * flat + stiffness[:, 1, None, None] * (np.eye(3) - flat)
        motions, masses = [], []
        for side in self._sides:
            part = self._mixture.part_of_cell[side.cells[mine[0]]]
            elements = rows[self._mixture.part_of_cell[mesh.parent[rows]] == part]
            mass = np.repeat(0.25 * (mesh.density * mesh.volume)[elements], 4)
            points = mesh.rest[mesh.elements[elements]].reshape(-1, 3)
            center = mass @ points / mass.sum()
            whole = _rigid_motions(points - center)
            masses.append(np.einsum("n,nia,nib->ab", mass, whole, whole))
            motions.append(_rigid_motions(places - center))
        gaps = np.concatenate([-motions[0], motions[1]], axis=2)
        values = eigh(np.einsum("jia,jik,jkb->ab", gaps, tensors, gaps), block_diag(*masses), eigvals_only=True)
        # Six motions of the pair as one rigid body have none, nor has a hinge of one or two joints.
        return float(values[values > HINGE * values[-1]][0])

    def find(self) -> None:
        """Find the elements of the joints again, after cracks have divided them."""
        self._sides = [side.found() for side in self._sides]
        self._gather()

    def turn(self) -> None:
        """Turn the normals with the elements of the first object."""
        side, mesh = self._sides[0], self._mesh
        gradients = deformation_gradients(mesh.position, side.nodes, mesh.basis[side.elements])
        a, b, c = np.moveaxis(gradients, 2, 0)
        cofactors = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=2)
        self._normals = unit(np.einsum("jik,jk->ji", cofactors, self._rest_normals))

    def pull(self, load: np.ndarray) -> None:
        """Add the forces of the joints to the loads (N, 3) N on the nodes."""
        _pull_kernel(*self._places, self._normals, self._stiffness, self.holds, self._mesh.position, load)

    def overloads(self) -> np.ndarray:
        """Return the stress of each joint over its strength, (J,); 0 for broken ones."""
        at_tip = np.zeros(len(self._solid.points), bool)
        at_tip[self._around[~self.holds]] = True
        share = np.where(at_tip[self._around].any(axis=1), self._tip_shares, 1.0)
        return self.stress() / (share * self._strengths)

    def stress(self) -> np.ndarray:
        """Return the stress of each joint, (J,) Pa; 0 for broken ones.

        The traction t is a mean over the joints nearby that hold. With its part t_n along the normal, the stress is
        t_n / 2 + sqrt(t_n^2 / 4 + |t - t_n n|^2).
        """
        first, second = (side.of_nodes(self._mesh.position) for side in self._sides)
        gaps, (along, across) = second - first, self._moduli.T
        opening = np.einsum("ji,ji->j", gaps, self._normals)
        tractions = across[:, None] * gaps + ((along - across) * opening)[:, None] * self._normals
        areas = self._nearby @ self.holds.astype(float)
        sums = self._nearby @ (self.holds[:, None] * tractions)
        tractions = np.divide(sums, areas[:, None], out=np.zeros_like(sums), where=self.holds[:, None])
        tension = np.einsum("ji,ji->j", tractions, self._normals)
        shear = lengths(tractions - tension[:, None] * self._normals)
        return 0.5 * tension + np.sqrt(0.25 * tension**2 + shear**2)

    def limited(self, ratio: np.ndarray, normals: np.ndarray, strengths: np.ndarray) -> np.ndarray:
        """Return the ratio (N,) of tension to strength of nodes, limited at joints.

        Few elements are around a node on a joint, and their tension scatters. Across a plane along the joint it is at
        most the largest stress of the node's joints that hold.

        Args:
            ratio: (N,) without the limit.
            normals: (N, 3) of the planes across which the tension acts.
            strengths: (N,) Pa, strength across these planes.
        """
        nodes, weights = self._places
        joint, corner = np.nonzero((np.abs(weights) >= ON_JOINT) & self.holds[:, None])
        node = nodes[joint, corner]
        most, across = np.zeros(len(ratio)), np.zeros((len(ratio), 3))
        np.maximum.at(most, node, self.stress()[joint])
        np.add.at(across, node, self._areas[joint, None] * self._normals[joint])
        size = lengths(across)
        along = (size > 0.0) & (np.abs(np.einsum("ni,ni->n", normals, across)) > CONTINUES * size)
        return np.where(along, np.minimum(ratio, most / strengths), ratio)

    def break_overloaded(self, overloads: np.ndarray) -> int:
        """Break the joints with ``overloads`` (J,) above 1; return their number."""
        broken = overloads > 1.0
        if broken.any():
            self.holds = self.holds & ~broken
        return int(np.count_nonzero(broken))

    def solid(self) -> SolidModel:
        """Return the refined rest complex with all joints, broken ones too; see ``state.rest_solid``."""
        mesh, solid = self._mesh, rest_solid(self._mesh)
        rows = np.flatnonzero(~mesh.ghost)
        pairs = np.searchsorted(rows, self.elements)
        parents = mesh.parent[rows]
        inside = _inside(self._mixture, parents, solid.face_cells)
        joints = replace(self._mixture.of(np.empty(0, int), self._rows), parts=())
        faces = len(solid.points) + np.arange(3 * len(pairs)).reshape(-1, 3)
        return SolidModel(
            np.concatenate([solid.points, self._corners.reshape(-1, 3)]),
            solid.cells,
            solid.padding_cells,
            np.concatenate([solid.faces, faces]),
            np.concatenate([solid.face_cells, pairs]),
            mixture=Mixture.joined([inside, joints]),
        )

    def _gather(self) -> None:
        """Collect the nodes (J, 8) of the joints, and their weights (J, 8)."""
        first, second = self._sides
        self._places = np.hstack([first.nodes, second.nodes]), np.hstack([-first.weights, second.weights])

    def _layers(self, pairs: np.ndarray) -> np.ndarray:
        """Return the stiffness per area (J, 2) Pa/m of joints between cells ``pairs`` (J, 2)."""
        mixture = self._mixture
        materials = [part.material for part in mixture.parts]
        moduli = np.array([[item.young_modulus, item.shear_modulus] for item in materials])
        beside = self._mesh.size[pairs][:, :, None] / moduli[mixture.part_of_cell[pairs]]
        return 1.0 / (1.0 / mixture.layers[self._rows] + ADDED * beside.mean(axis=1))

    def _neighbours(self, points: np.ndarray, pairs: np.ndarray) -> csr_array:
        """Return the weights (J, J) m2 of joints in the mean stress around each one.

        A weight is the area, times a factor that falls to zero at the radius, times the cosine between the normals.

        Args:
            points: (J, 3) m, centroids of the joints.
            pairs: (J, 2) their cells.
        """
        of_bond, sizes = self._mixture.joints[self._rows], self._mesh.size[pairs].mean(axis=1)
        rows = [np.tile(np.arange(len(points)), (2, 1))]
        shares = [np.ones(len(points))]
        for bond in np.unique(of_bond):
            mine = np.flatnonzero(of_bond == bond)
            radius = MEAN_RADIUS * float(np.median(sizes[mine]))
            first, second = mine[cKDTree(points[mine]).query_pairs(radius, output_type="ndarray")].T
            share = 1.0 - lengths(points[first] - points[second]) / radius
            share *= np.maximum(np.einsum("ji,ji->j", self._rest_normals[first], self._rest_normals[second]), 0.0)
            rows += [np.stack([first, second]), np.stack([second, first])]
            shares += [share, share]
        of_joint, other = np.concatenate(rows, axis=1)
        weights = np.concatenate(shares) * self._areas[other]
        return csr_array((weights, (of_joint, other)), shape=(len(points), len(points)))

    def _typical(self) -> np.ndarray:
        """Return the stress over the gap (J, 2) Pa/m: stiffness over area, at least the median of the same bond.

        Joints at light nodes are softer for the sake of the time step. They open as far as those beside them, and break
        with them.
        """
        result = self._stiffness / self._areas[:, None]
        of_bond = self._mixture.joints[self._rows]
        for bond in np.unique(of_bond):
            mine = of_bond == bond
            result[mine] = np.maximum(result[mine], np.median(result[mine], axis=0))
        return result

    def _stable(self, stiffness: np.ndarray, step: float) -> np.ndarray:
        """Return the stiffness (J, 2) N/m, lowered where an explicit ``step`` (s) would not be stable."""
        mass = self._mesh.mass
        shares = np.abs(np.hstack([side.weights for side in self._sides]))
        nodes = np.hstack([side.nodes for side in self._sides])
        # Of several joints at a node, each gets a share in proportion to its area.
        areas = np.bincount(nodes.ravel(), (shares * self._areas[:, None]).ravel(), len(mass))
        most = np.divide(STABLE / step**2 * mass, areas, out=np.full(len(mass), np.inf), where=areas > 0.0)
        allowed = most[nodes].min(axis=1) * self._areas / shares.sum(axis=1)
        return np.minimum(stiffness, allowed[:, None])


def _rigid_motions(arms: np.ndarray) -> np.ndarray:
    """Return the motion (P, 3, 6) of points at ``arms`` (P, 3) m by unit translations and rotations."""
    turns = np.stack([np.cross(axis, arms) for axis in np.eye(3)], axis=2)
    return np.concatenate([np.broadcast_to(np.eye(3), turns.shape), turns], axis=2)


def _inside(mixture: Mixture, parents: np.ndarray, pairs: np.ndarray) -> Mixture:
    """Return the values of cells with ``parents`` (C,), cells of a solid with ``mixture``, and of their faces (F, 2).

    Values of faces are the means of the materials: finite elements do not use them.
    """
    part = mixture.part_of_cell[parents]
    of_face, count = part[pairs[:, 0]], len(pairs)
    materials = [item.material for item in mixture.parts]

    def of(name: str) -> np.ndarray:
        return np.array([getattr(item, name) for item in materials])[of_face]

    return Mixture(
        densities=mixture.densities[parents],
        strengths=of("tensile_strength"),
        young_moduli=of("young_modulus"),
        shear_moduli=of("shear_modulus"),
        compression_factors=of("crushing_strength") / of("tensile_strength"),
        size_effects=np.ones(count),
        joints=np.full(count, NO_JOINT, np.int32),
        layers=np.full((count, 2), np.inf),
        part_of_cell=part,
        parts=mixture.parts,
    )
