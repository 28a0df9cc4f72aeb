"""A semi-implicit step, stable at any size: for when no crack is near.

Backward Euler with the forces linearised where the step begins (Baraff and Witkin 1998, eq. 6):
(M + h D + h^2 K) du = h (f + g - h K u). Each piece's rigid motion is taken out first and followed exactly, so that
what turns is not stretched; only the rest, u, is solved for. K is the material's part of the stiffness, and of the
stress' part what is in tension: both cannot be negative, and conjugate gradients end. What elements of
walls share (``walls``) is in the forces and not in K, which is larger then: they come to the same rest, more damped.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import bsr_array, csr_array
from scipy.spatial.transform import Rotation

from .advance import Leapfrog
from .cracks.separation import split_stress
from .elements import corner_forces, node_sums, shape_gradients, stresses
from .mesh import Mesh, component_of_element
from .walls import shared_stress

# Residual over the first one at which a solve ends, and iterations at most.
TOLERANCE, MOST_ITERATIONS = 1e-4, 400


class Implicit:
    """A mesh between cracks; to be made anew when elements have changed, or what they bear.

    Args:
        motion: Of the mesh, in small steps; ``advance`` goes on with what bears stress there now.
        fixed: (N,) bool; pieces with such a node do not move rigidly.
    """

    def __init__(self, motion: Leapfrog, fixed: np.ndarray):
        mesh, rows = motion.mesh, motion.rows
        self._motion = motion
        self._mesh, self._law, self._rows, self._fixed = mesh, motion.law, rows, fixed
        self._stiffness, self._damping = motion.shares
        self._shared = motion.shared
        elements = mesh.elements[rows].astype(np.int64)
        count = mesh.node_count
        keys = (elements[:, :, None] * count + elements[:, None, :]).ravel()
        keys = np.concatenate([keys, np.arange(count) * (count + 1)])
        unique, self._slot = np.unique(keys, return_inverse=True)
        self._indices = (unique % count).astype(np.int32)
        self._starts = np.searchsorted(unique, np.arange(count + 1) * count).astype(np.int32)
        self._diagonal = self._slot[-count:]
        self._piece = _piece_of_node(mesh)

    def advance(
        self,
        weights: np.ndarray,
        gravity: np.ndarray,
        pushes: np.ndarray,
        seconds: float,
        held: np.ndarray,
        target: np.ndarray,
    ) -> np.ndarray:
        """One step.

        Args:
            weights: (N,) kg of what falls.
            gravity: (3,) m/s2.
            pushes: (N, 3) N, what else is done to the nodes; one row counts for all.
            seconds: Its length.
            held: (N,) bool, nodes whose velocity is given.
            target: (N, 3) m/s, what it is then.

        Returns:
            (N, 3) N s, what it took to hold them.
        """
        mesh, law, rows = self._mesh, self._law, self._rows
        elements, basis, volume = mesh.elements[rows], mesh.basis[rows], mesh.volume[rows]
        relative = self._move_rigidly(seconds)
        state = mesh.position, mesh.velocity, elements, basis
        stress, gradients = stresses(law, *state, self._stiffness, self._damping, mesh.plastic_strain[rows])
        stress = shared_stress(stress, elements, self._shared)
        forces = (
            pushes
            + weights[:, None] * gravity
            + node_sums(corner_forces(stress, gradients, basis, volume), elements, mesh.node_count)
        )
        elastic, viscous = self._matrices(stress, gradients, basis, volume)
        turned = np.einsum("eabkl,ebl->eak", elastic, relative[elements], optimize=True)
        right = seconds * (forces - seconds * node_sums(turned, elements, mesh.node_count)).ravel()
        whole = self._summed(seconds * (viscous + seconds * elastic))
        whole[self._diagonal] += finite_masses(mesh)[:, None, None] * np.eye(3)
        system = self._matrix(whole)
        wanted = np.where(held[:, None], target - mesh.velocity, 0.0)
        free = np.repeat(~held, 3)
        change = _solve(system, whole[self._diagonal], right, free, wanted.ravel()).reshape(-1, 3)
        reaction = (system @ change.ravel() - right).reshape(-1, 3)
        own = _limited(relative + change, self._motion.most_speed, ~held)
        mesh.velocity[:] += own - relative
        mesh.position[:] += seconds * own
        for nodes in self._piece:
            if not held[nodes].any():
                # A free fall as it is: backward Euler goes by the speed at the end of the step.
                mesh.position[nodes] -= 0.5 * seconds**2 * gravity
        return np.where(held[:, None], reaction, 0.0)

    def _move_rigidly(self, seconds: float) -> np.ndarray:
        """Move each free piece as if it were rigid; (N, 3) m/s that its nodes have beside that, turned with it."""
        mesh = self._mesh
        relative = mesh.velocity.copy()
        for nodes in self._piece:
            if self._fixed[nodes].any():
                continue
            mass, position = mesh.mass[nodes], mesh.position[nodes]
            center = mass @ position / mass.sum()
            velocity = mass @ mesh.velocity[nodes] / mass.sum()
            arms, own = position - center, mesh.velocity[nodes] - velocity
            momentum = (mass[:, None] * np.cross(arms, own)).sum(axis=0)
            spin = _spin(mass, arms, momentum)
            turn = Rotation.from_rotvec(seconds * spin).as_matrix().T
            relative[nodes] = (own - np.cross(spin, arms)) @ turn
            arms = arms @ turn
            mesh.position[nodes] = center + seconds * velocity + arms
            mesh.velocity[nodes] = velocity + np.cross(_spin(mass, arms, momentum), arms) + relative[nodes]
        return relative

    def _matrices(self, stress, gradients, basis, volume) -> tuple[np.ndarray, np.ndarray]:
        """(A, 4, 4, 3, 3) blocks a b of the elastic and the viscous stiffness of elements, at least semi-definite."""
        law, shapes = self._law, shape_gradients(basis)
        # As corner a moves along k, Green strain changes by the symmetric part of (row k of F) x grad N_a: the change's
        # trace is (F grad N_a)_k, and two changes times each other are half of what is here called shear.
        moved = shapes @ np.swapaxes(gradients, 1, 2)
        dilation = moved[:, :, None, :, None] * moved[:, None, :, None, :]
        metric = gradients @ np.swapaxes(gradients, 1, 2)
        near = shapes @ np.swapaxes(shapes, 1, 2)
        shear = near[:, :, :, None, None] * metric[:, None, None] + np.swapaxes(dilation, 1, 2)
        stiff, damp = ((volume * share)[:, None, None, None, None] for share in (self._stiffness, self._damping))
        elastic = stiff * (law.dilation * dilation + law.rigidity * shear)
        viscous = damp * (law.dilation_damping * dilation + law.rigidity_damping * shear)
        tensile, _ = split_stress(stress)
        along = volume[:, None, None] * (shapes @ tensile @ np.swapaxes(shapes, 1, 2))
        return elastic + along[:, :, :, None, None] * np.eye(3), viscous

    def _summed(self, blocks: np.ndarray) -> np.ndarray:
        blocks = blocks.reshape(-1, 9)
        slot, count = self._slot[: len(blocks)], len(self._indices)
        # Of nothing, where all elements are crushed, ``bincount`` makes whole numbers.
        sums = [np.bincount(slot, column, count).astype(float) for column in blocks.T]
        return np.stack(sums, axis=1).reshape(-1, 3, 3)

    def _matrix(self, blocks: np.ndarray) -> csr_array:
        shape = (3 * self._mesh.node_count,) * 2
        return bsr_array((blocks, self._indices, self._starts), shape=shape).tocsr()


def _spin(mass: np.ndarray, arms: np.ndarray, momentum: np.ndarray) -> np.ndarray:
    """(3,) rad/s of a rigid body with an angular momentum (3,)."""
    inertia = np.einsum("n,nk,nk->", mass, arms, arms) * np.eye(3) - np.einsum("n,ni,nj->ij", mass, arms, arms)
    return np.linalg.solve(inertia, momentum)


def _limited(velocity: np.ndarray, most: float, rows: np.ndarray) -> np.ndarray:
    """(N, 3) m/s of nodes, those of ``rows`` (N,) bool at most so fast: an element turned inside out knows no bound."""
    speed = np.linalg.norm(velocity, axis=1)
    scale = np.where(rows & (speed > most), most / np.maximum(speed, 1e-300), 1.0)
    return scale[:, None] * velocity


def finite_masses(mesh: Mesh) -> np.ndarray:
    """(N,) kg; what is fixed, and infinitely heavy, counts for 1, and so does what has no mass."""
    return np.where(np.isfinite(mesh.mass) & (mesh.mass > 0.0), mesh.mass, 1.0)


def _piece_of_node(mesh: Mesh) -> list[np.ndarray]:
    """Nodes of each piece."""
    component = component_of_element(mesh)
    label = np.full(mesh.node_count, -1)
    for corner in range(4):
        label[mesh.elements[component >= 0, corner]] = component[component >= 0]
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.arange(label.max() + 2))
    return [order[start:end] for start, end in pairwise(ends)]


def _solve(system: csr_array, diagonal: np.ndarray, right: np.ndarray, free: np.ndarray, wanted: np.ndarray):
    """Conjugate gradients among velocities that are free, with the rest as ``wanted``; preconditioned a node."""
    inverse = np.linalg.inv(diagonal)
    result = wanted.copy()
    residual = free * (right - system @ result)
    least = TOLERANCE * np.linalg.norm(residual)
    direction, before = np.zeros_like(right), 1.0
    for _ in range(MOST_ITERATIONS):
        if np.linalg.norm(residual) <= least:
            break
        conditioned = free * np.einsum("nij,nj->ni", inverse, residual.reshape(-1, 3)).ravel()
        product = residual @ conditioned
        direction = conditioned + (product / before) * direction
        moved = free * (system @ direction)
        length = product / (direction @ moved)
        result += length * direction
        residual -= length * moved
        before = product
    return result
