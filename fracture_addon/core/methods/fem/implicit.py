"""Semi-implicit time step, stable at any size, for bodies without active cracks.

Backward Euler with forces linearised at the start of the step (Baraff and Witkin 1998, eq. 6):
(M + h D + h^2 K) du = h (f + g - h K u). The rigid motion of each fragment is removed first and integrated exactly, so
that rotation does not stretch it. The solve is for the remaining velocity u. K is the material stiffness plus the
geometric stiffness of tensile stress. Both are positive semi-definite, so conjugate gradients converge. Stress sharing
in thin walls (``walls``) is in the forces but not in K. K is therefore too large there. Such walls reach the same rest
state with more damping.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import bsr_array, csr_array
from scipy.spatial.transform import Rotation

from ...data.arrays import cross_rows
from .advance import Leapfrog
from .cracks.separation import split_stress
from .elements import Law, corner_forces, node_sums, shape_gradients, stresses
from .state import Mesh, component_of_element
from .walls import shared_stress

# Residual over the initial residual at which the solve stops, and the largest number of iterations. From 1e-6 to 2e-4,
# points of a dropped brick differ by at most 0.1 micrometres on average; 0.01 changes the number of its fragments from
# 15 to 14. With 200 to 8,000 iterations, all recordings keep their bytes.
TOLERANCE, MAX_ITERATIONS = 1e-4, 400


class Equations(NamedTuple):
    """Linear equations of a step, for the changes of all velocities.

    Attributes:
        system: (3 N, 3 N) kg, symmetric.
        diagonal: (N, 3, 3) kg, its diagonal blocks.
        right: (N, 3) N s.
        relative: (N, 3) m/s, velocities besides the rigid motion, which is done.
        held: (N,) bool, nodes with a given velocity.
        prescribed: (N, 3) m/s, changes of their velocities; 0 for others.
    """

    system: csr_array
    diagonal: np.ndarray
    right: np.ndarray
    relative: np.ndarray
    held: np.ndarray
    prescribed: np.ndarray


class Implicit:
    """Semi-implicit integrator of a mesh. Create a new one after elements were divided or became idle.

    Args:
        motion: Explicit integrator of the mesh, with its active elements.
        fixed: (N,) bool, fixed nodes; a fragment with one does not move rigidly.
    """

    def __init__(self, motion: Leapfrog, fixed: np.ndarray):
        mesh, rows = motion.mesh, motion.rows
        self._motion = motion
        self._mesh, self._rows, self._fixed = mesh, rows, fixed
        self._stiffness, self._damping = motion.shares
        elements = mesh.elements[rows].astype(np.int64)
        count = mesh.node_count
        keys = (elements[:, :, None] * count + elements[:, None, :]).ravel()
        keys = np.concatenate([keys, np.arange(count) * (count + 1)])
        unique, self._slot = np.unique(keys, return_inverse=True)
        self._indices = (unique % count).astype(np.int32)
        self._starts = np.searchsorted(unique, np.arange(count + 1) * count).astype(np.int32)
        self._diagonal = self._slot[-count:]
        self._part = _part_of_node(mesh)
        # Rows of nodes in parts without a fixed node.
        self._rigid = np.flatnonzero(~_in_part_with(self._part, fixed) & (self._part >= 0))

    def advance(
        self,
        weights: np.ndarray,
        gravity: np.ndarray,
        loads: np.ndarray,
        seconds: float,
        held: np.ndarray,
        target: np.ndarray,
    ) -> np.ndarray:
        """Take one step of a body that no other body is glued to.

        The arguments are those of ``equations``.

        Returns:
            (N, 3) N s, impulses that hold the nodes with a given velocity.
        """
        equations = self.equations(weights, gravity, loads, seconds, held, target)
        change = solve(equations)
        self.finish(equations, change, gravity, seconds)
        return reactions(equations, change)

    def equations(
        self,
        weights: np.ndarray,
        gravity: np.ndarray,
        loads: np.ndarray,
        seconds: float,
        held: np.ndarray,
        target: np.ndarray,
    ) -> Equations:
        """Move the parts rigidly, and return the equations for the changes of the velocities.

        Args:
            weights: (N,) kg, masses on which gravity acts.
            gravity: (3,) m/s2.
            loads: (N, 3) or (1, 3) N, other forces on the nodes.
            seconds: Time step, s.
            held: (N,) bool, nodes with a given velocity.
            target: (N, 3) m/s, that velocity.
        """
        mesh, law, rows = self._mesh, self._motion.present_law, self._rows
        elements, basis, volume = mesh.elements[rows], mesh.basis[rows], mesh.volume[rows]
        relative = self._move_rigidly(seconds)
        state = mesh.position, mesh.velocity, elements, basis
        fibres, shares = mesh.fibres_of(rows), (self._stiffness, self._damping)
        stress, gradients = stresses(law, *state, *shares, mesh.plastic_strain[rows], fibres)
        stress = shared_stress(stress, elements, self._motion.present_sharing)
        forces = (
            loads
            + weights[:, None] * gravity
            + node_sums(corner_forces(stress, gradients, basis, volume), elements, mesh.node_count)
        )
        elastic, viscous = self._matrices(law, stress, gradients, basis, volume, fibres)
        force_rate = np.einsum("eabkl,ebl->eak", elastic, relative[elements], optimize=True)
        right = seconds * (forces - seconds * node_sums(force_rate, elements, mesh.node_count)).ravel()
        blocks = self._summed(seconds * (viscous + seconds * elastic))
        blocks[self._diagonal] += finite_masses(mesh)[:, None, None] * np.eye(3)
        prescribed = np.where(held[:, None], target - mesh.velocity, 0.0)
        system, diagonal = self._matrix(blocks), blocks[self._diagonal]
        return Equations(system, diagonal, right.reshape(-1, 3), relative, held, prescribed)

    def finish(
        self,
        equations: Equations,
        change: np.ndarray,
        gravity: np.ndarray,
        seconds: float,
        supported: np.ndarray | None = None,
    ) -> None:
        """Move the nodes by the solution of the equations.

        Args:
            equations: From ``equations``.
            change: (N, 3) m/s, solution.
            gravity: (3,) m/s2.
            seconds: Time step, s.
            supported: (N,) bool, further nodes that do not fall freely; ``None`` for none.
        """
        mesh, relative, held = self._mesh, equations.relative, equations.held
        own = _limited(relative + change, self._motion.max_speed, ~held)
        mesh.velocity[:] += own - relative
        mesh.position[:] += seconds * own
        # Exact free fall: backward Euler uses the velocity at the end of the step.
        free = (self._part >= 0) & ~_in_part_with(self._part, held if supported is None else held | supported)
        mesh.position[free] -= 0.5 * seconds**2 * gravity

    def _move_rigidly(self, seconds: float) -> np.ndarray:
        """Move each free fragment rigidly; return the remaining velocities (N, 3) m/s, rotated with it."""
        mesh, nodes = self._mesh, self._rigid
        relative = mesh.velocity.copy()
        if not len(nodes):
            return relative
        _, part = np.unique(self._part[nodes], return_inverse=True)
        mass = mesh.mass[nodes]

        def part_sums(values: np.ndarray) -> np.ndarray:
            """Sum values (P, K) of nodes over each part."""
            return np.stack([np.bincount(part, column) for column in values.T], axis=1)

        def part_means(values: np.ndarray) -> np.ndarray:
            """Return the mean of values (P, K), weighted by mass, of the part of each node."""
            return (part_sums(mass[:, None] * values) / np.bincount(part, mass)[:, None])[part]

        def spins(arms: np.ndarray, momentum: np.ndarray) -> np.ndarray:
            """Return the angular velocities (Q, 3) rad/s of rigid parts, from their angular momentum in kg m2/s."""
            moments = part_sums((mass[:, None, None] * arms[:, :, None] * arms[:, None, :]).reshape(-1, 9))
            moments = moments.reshape(-1, 3, 3)
            inertia = np.trace(moments, axis1=1, axis2=2)[:, None, None] * np.eye(3) - moments
            try:
                return np.linalg.solve(inertia, momentum[:, :, None])[:, :, 0]
            except np.linalg.LinAlgError:  # a part is crushed to a line, about which it has no inertia
                return (np.linalg.pinv(inertia, hermitian=True) @ momentum[:, :, None])[:, :, 0]

        center, velocity = part_means(mesh.position[nodes]), part_means(mesh.velocity[nodes])
        arms, own = mesh.position[nodes] - center, mesh.velocity[nodes] - velocity
        momentum = part_sums(mass[:, None] * cross_rows(arms, own))
        spin = spins(arms, momentum)
        turn = Rotation.from_rotvec(seconds * spin).as_matrix()[part]
        relative[nodes] = _turned(turn, own - cross_rows(spin[part], arms))
        arms = _turned(turn, arms)
        mesh.position[nodes] = center + seconds * velocity + arms
        mesh.velocity[nodes] = velocity + cross_rows(spins(arms, momentum)[part], arms) + relative[nodes]
        return relative

    def _matrices(
        self,
        law: Law,
        stress: np.ndarray,
        gradients: np.ndarray,
        basis: np.ndarray,
        volume: np.ndarray,
        fibres: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the elastic and the viscous stiffness of elements, (A, 4, 4, 3, 3) blocks of corners a and b.

        Both are positive semi-definite.

        Args:
            law: The material now.
            stress: (A, 3, 3) Pa.
            gradients: (A, 3, 3) deformation gradients.
            basis: (A, 3, 3) 1/m.
            volume: (A,) m3.
            fibres: (A, 3) unit directions of the grain in rest space; (0, 3) without grain.
        """
        shapes = shape_gradients(basis)
        # If corner a moves along axis k, Green strain changes by the symmetric part of (row k of F) x grad N_a. The
        # trace of this change is (F grad N_a)_k. The product of two changes is half of ``shear``.
        moved = shapes @ np.swapaxes(gradients, 1, 2)
        dilation = moved[:, :, None, :, None] * moved[:, None, :, None, :]
        metric = gradients @ np.swapaxes(gradients, 1, 2)
        near = shapes @ np.swapaxes(shapes, 1, 2)
        shear = near[:, :, :, None, None] * metric[:, None, None] + np.swapaxes(dilation, 1, 2)
        stiff, damp = ((volume * share)[:, None, None, None, None] for share in (self._stiffness, self._damping))
        elastic = stiff * (law.dilation * dilation + law.rigidity * shear)
        viscous = damp * (law.dilation_damping * dilation + law.rigidity_damping * shear)
        if len(fibres):
            # Strain along the fibre g changes by (g . grad N_a) (F g)_k.
            turned = np.einsum("ekl,el->ek", gradients, fibres)
            stretch = np.einsum("eal,el->ea", shapes, fibres)[:, :, None] * turned[:, None, :]
            along_fibre = stretch[:, :, None, :, None] * stretch[:, None, :, None, :]
            elastic += stiff * law.fibre * along_fibre
            viscous += damp * law.fibre_damping * along_fibre
        tensile, _ = split_stress(stress)
        along = volume[:, None, None] * (shapes @ tensile @ np.swapaxes(shapes, 1, 2))
        return elastic + along[:, :, :, None, None] * np.eye(3), viscous

    def _summed(self, blocks: np.ndarray) -> np.ndarray:
        """Add blocks (A, 4, 4, 3, 3) of elements to the (K, 3, 3) blocks of the sparse matrix."""
        blocks = blocks.reshape(-1, 9)
        slot, count = self._slot[: len(blocks)], len(self._indices)
        # Without elements (all are crushed) ``bincount`` returns integers.
        sums = [np.bincount(slot, column, count).astype(float) for column in blocks.T]
        return np.stack(sums, axis=1).reshape(-1, 3, 3)

    def _matrix(self, blocks: np.ndarray) -> csr_array:
        """Return the (3 N, 3 N) sparse matrix of (K, 3, 3) blocks."""
        shape = (3 * self._mesh.node_count,) * 2
        return bsr_array((blocks, self._indices, self._starts), shape=shape).tocsr()


def _turned(turns: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Rotate each vector (N, 3) by its matrix (N, 3, 3)."""
    return (turns @ vectors[:, :, None])[:, :, 0]


def _limited(velocity: np.ndarray, most: float, rows: np.ndarray) -> np.ndarray:
    """Limit the speed of the nodes ``rows`` (N,) bool to ``most``, m/s: inverted elements accelerate nodes.

    Returns:
        (N, 3) m/s, the velocities with this limit.
    """
    speed = np.linalg.norm(velocity, axis=1)
    scale = np.where(rows & (speed > most), most / np.maximum(speed, 1e-300), 1.0)
    return scale[:, None] * velocity


def finite_masses(mesh: Mesh) -> np.ndarray:
    """Return the (N,) masses of nodes, kg, with 1 for fixed (infinite) and massless nodes."""
    return np.where(np.isfinite(mesh.mass) & (mesh.mass > 0.0), mesh.mass, 1.0)


def _part_of_node(mesh: Mesh) -> np.ndarray:
    """Return the (N,) connected part of each node; -1 for nodes without an active element."""
    component = component_of_element(mesh)
    part = np.full(mesh.node_count, -1)
    for corner in range(4):
        part[mesh.elements[component >= 0, corner]] = component[component >= 0]
    return part


def _in_part_with(part: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Mark the nodes (N,) whose part contains a marked node."""
    return np.isin(part, part[marked & (part >= 0)])


def reactions(equations: Equations, change: np.ndarray) -> np.ndarray:
    """Return the impulses (N, 3) N s that hold the nodes with a given velocity, at the solution (N, 3) m/s."""
    reaction = (equations.system @ change.ravel()).reshape(-1, 3) - equations.right
    return np.where(equations.held[:, None], reaction, 0.0)


def solve(equations: Equations) -> np.ndarray:
    """Return the changes of the velocities (N, 3) m/s.

    Conjugate gradients with a block-diagonal preconditioner solve for those of free nodes.
    """
    system, right = equations.system, equations.right.ravel()
    free = np.repeat(~equations.held, 3)
    inverse = np.linalg.inv(equations.diagonal)
    result = equations.prescribed.flatten()
    residual = free * (right - system @ result)
    limit = TOLERANCE * np.linalg.norm(residual)
    direction, before = np.zeros_like(right), 1.0
    for _ in range(MAX_ITERATIONS):
        if np.linalg.norm(residual) <= limit:
            break
        conditioned = free * np.einsum("nij,nj->ni", inverse, residual.reshape(-1, 3)).ravel()
        product = residual @ conditioned
        direction = conditioned + (product / before) * direction
        moved = free * (system @ direction)
        length = product / (direction @ moved)
        result += length * direction
        residual -= length * moved
        before = product
    return result.reshape(-1, 3)
