"""Explicit motion of a mesh: leapfrog with a stable step that slivers do not shrink.

The highest frequency of a linear tetrahedron with lumped masses is at most omega = 2 c sqrt(k). Here c is the speed of
longitudinal waves and k the largest eigenvalue of sum grad N grad N^T. The highest frequency of a mesh is at most that
of its worst element. Leapfrog is stable up to the step 2 / omega, and with a damping ratio x up to
(2 / omega) (sqrt(1 + x^2) - x).

Two deviations from the paper keep the step large. First, the damping ratio of an element is limited, because the stable
step of a damped element falls with the square of its size. The limit is higher if the material gives its viscosities.
Second, elements for which the chosen step is too large are damped less and softened until it is stable. These are
slivers, which have little of the volume.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.arrays import ReadOnlyArrays
from ...numerics.leapfrog import step_factor
from .cracks.separation import Separation, rotated
from .elements import Law, deformation_gradients
from .kernels.blocks import (
    LANES,
    Sharing,
    blocks_of,
    constants,
    filled_up,
    law_from,
    plastic_lanes,
    threads_for,
    without_viscosity,
)
from .kernels.element_kernels import _curvature_kernel, _forces_kernel, _stress_sizes_kernel
from .kernels.node_kernels import _candidates_kernel, _leapfrog_kernel, corner_rows
from .kernels.regions import in_order, regions_of
from .kernels.separation_kernels import SUMS, _area_kernel, _areas_kernel, _pulls_kernel, _separation_kernel
from .kernels.skin import SUMS as SKIN_SUMS
from .kernels.skin import Skin, _principal_kernel, _skin_kernel, scaled
from .kernels.wall_kernels import _mean_stress_kernel, _shared_forces_kernel
from .materials.plasticity import Flow, _flow_kernel
from .state import Mesh
from .walls import sharing

# Largest damping ratio of the fastest mode of an element. Insensitive from 0.35 to 0.6: fragments of an impact change
# no more than by rounding (docs/decisions/constants.md).
MAX_DAMPING = 0.5
# The same ratio if the material gives its viscosities. At 2, 4 and 8 the step is 0.24, 0.12 and 0.06 of the undamped
# one, and bars with a logarithmic decrement of 0.5 have 0.87, 0.97 and 0.99 of this decrement.
MAX_GIVEN_DAMPING = 4.0
# Time step over the largest stable one. Insensitive from 0.72 to 0.95: fragments of an impact change no more than by
# rounding (docs/decisions/constants.md).
SAFETY = 0.9
# Share of the volume that the automatic step may soften. Measured on a bowl of 10,000 elements: the step is 2.4e-7 s
# instead of 6e-9 s (docs/equations.md).
SOFTENED_VOLUME = 0.02


@dataclass(frozen=True)
class Shares(ReadOnlyArrays):
    """Factors on the stiffness and viscosity of elements that keep a time step stable.

    Attributes:
        stiffness: (A,) factors on the stiffness.
        damping: (A,) factors on the viscosity.
        step: Largest stable time step with these factors, s.
    """

    stiffness: np.ndarray
    damping: np.ndarray
    step: float


def curvatures(mesh: Mesh, rows: np.ndarray) -> np.ndarray:
    """Return the largest eigenvalue k of sum grad N grad N^T in each element.

    In elements of several materials, it is multiplied by the square of their wave speed over that of the body's law.

    Args:
        mesh: The mesh.
        rows: (A,) elements.

    Returns:
        (A,) 1/m2.
    """
    result = np.empty(len(rows))
    _curvature_kernel(mesh.basis, rows, result)
    if mesh.objects is not None:
        # The square of the speed of waves in each element over that of the law.
        cells = mesh.parent[rows]
        result *= mesh.objects.moduli[cells] * mesh.objects.lightness[cells]
    return result


def shares(law: Law, curvature: np.ndarray, step: float = 0.0) -> Shares:
    """Compute the softening of elements and the limits of their damping.

    Args:
        law: The material.
        curvature: (A,) from ``curvatures``, 1/m2.
        step: Time step that must be stable, s; 0 softens nothing.

    Returns:
        Factors on stiffness and viscosity, and the largest stable step.

    Notes:
        Own (docs/decisions/softened_slivers.md), with the stability limit of Belytschko, Liu and Moran 2000, chapter 6:
        2 / omega (sqrt(1 + x^2) - x).

    Example:
        Waves have 1 m/s. A step of 0.9 s is stable for an element of 1 / m2. A sliver of 100 / m2 has to be a hundredth
        as stiff.

        >>> found = shares(Law(1.0, 0.0, 0.0, 0.0, 1.0), np.array([1.0, 100.0]), step=0.9)
        >>> found.stiffness.round(9).tolist(), round(found.step, 9)
        ([1.0, 0.01], 0.9)
    """
    speed_squared = law.wave_speed**2
    viscosity = (law.dilation_damping + 2.0 * law.rigidity_damping + law.fibre_damping) / law.density
    frequency = 2.0 * np.sqrt(speed_squared * curvature)
    ratio = 2.0 * viscosity * curvature / frequency
    if law.given and step:
        # Damping is reduced before stiffness: the inverse of ``step_factor``.
        factor = step * frequency / (2.0 * SAFETY)
        ratio = np.minimum(ratio, np.maximum(0.5 * (1.0 / factor - factor), MAX_DAMPING))
    ratio = np.minimum(ratio, MAX_GIVEN_DAMPING if law.given else MAX_DAMPING)
    limit = 2.0 / frequency * step_factor(ratio)
    stiffness = np.minimum(1.0, (SAFETY * limit / step) ** 2) if step else np.ones(len(curvature))
    softened = frequency * np.sqrt(stiffness)
    full = 2.0 * viscosity * curvature
    damping = np.minimum(1.0, np.divide(ratio * softened, full, out=np.ones_like(full), where=full > 0.0))
    return Shares(stiffness, damping, SAFETY * float((limit / np.sqrt(stiffness)).min(initial=np.inf)))


def automatic_step(law: Law, curvature: np.ndarray, volume: np.ndarray) -> float:
    """Choose a time step that softens elements with at most ``SOFTENED_VOLUME`` of the volume.

    Args:
        law: The material.
        curvature: (A,) from ``curvatures``, 1/m2.
        volume: (A,) of the same elements, m3.

    Returns:
        s.

    Notes:
        Own (docs/decisions/softened_slivers.md).

    Example:
        A sliver with 1 % of the volume does not count; one with 10 % does.

        >>> law, curvature = Law(1.0, 0.0, 0.0, 0.0, 1.0), np.array([1.0, 100.0])
        >>> [round(automatic_step(law, curvature, np.array([1.0 - share, share])), 9) for share in (0.01, 0.1)]
        [0.9, 0.09]
    """
    order = np.argsort(-curvature)
    total = np.cumsum(volume[order])
    row = order[np.searchsorted(total, SOFTENED_VOLUME * total[-1])]
    return shares(law, curvature[row : row + 1]).step


class Leapfrog:
    """Leapfrog integrator of a mesh.

    Attributes:
        mesh: Changed in place.
        law: Its material.
        step: Time step, s.
        load: (N, 3) N on nodes; ``advance`` multiplies it by its amplitudes.
        shared: Stress sharing between the elements of thin walls.
        max_speed: m/s, largest speed of a node relative to ``drift``.
        drift: (3,) m/s, velocity of the whole body.
        factor: Factor on the stiffness and the viscosity of the law in forces, at most 1. Stresses that are compared
            with limits are those without it, so that limits in strain stay.
    """

    def __init__(self, mesh: Mesh, law: Law, step: float = 0.0, max_speed: float = np.inf):
        """Prepare the kernels' arrays.

        An inverted element stiffens as it grows until no step is stable, and its nodes diverge within a few steps. A
        limit of their speed leaves enough time to find and remove such elements.

        Args:
            mesh: Changed in place.
            law: Its material.
            step: Time step, s; 0 takes the largest one that softens no element.
            max_speed: Largest speed of a node, m/s.
        """
        self.mesh, self.law = mesh, law
        self.max_speed, self.drift, self.factor = max_speed, np.zeros(3), 1.0
        self._law = constants(law)
        self._given_step, self._has_stored = step, False
        self.refresh()

    def refresh(self, idle: np.ndarray | None = None) -> None:
        """Rebuild the arrays after the mesh has changed, and set the load to zero.

        Call ``store_mean_stress`` before the change. The elements ``idle`` (E,) bool have no stress from now on, and
        nodes of only such elements move freely.
        """
        mesh = self.mesh
        rows = np.flatnonzero(~mesh.ghost if idle is None else ~(mesh.ghost | idle))
        self._rows = in_order(mesh, rows)
        self._starts, self._corners = corner_rows(mesh.elements, self._rows, mesh.node_count)
        found = shares(self.law, curvatures(mesh, self._rows), self._given_step)
        moduli = 1.0 if mesh.objects is None else mesh.objects.moduli[mesh.parent[self._rows]]
        self.step = self._given_step or found.step
        self._blocks = blocks_of(mesh, self._rows)
        self._stiffness, self._damping = filled_up(moduli * found.stiffness), filled_up(moduli * found.damping)
        self.shared = sharing(mesh, self._rows, found.stiffness)
        self._regions = regions_of(self._blocks.nodes, len(self._rows), mesh.mass)
        count, row_count = len(self._stiffness), len(self._regions.row_nodes)
        self._forces, self._sizes = np.empty((row_count, 3)), np.zeros(count)
        room = (count, row_count) if len(self.shared.own) else (0, 0)
        self._own, self._means = np.empty(6 * room[0]), np.empty((room[1], 6))
        self._halves, self._sums, self._areas = np.empty(9 * count), np.empty((row_count, SUMS)), np.empty(row_count)
        self.load = np.zeros((mesh.node_count, 3))
        if self._has_stored and len(self.shared.own):
            self.shared = self.shared._replace(bias=self._mean_stress() - mesh.mean_stress)
        self._has_stored = False

    def set_step(self, step: float) -> None:
        """Set the time step, s, and compute what must be softened for it."""
        self._given_step = step
        self.refresh()

    def set_bias(self, bias: np.ndarray) -> None:
        """Set the bias (N, 6) Pa of the shared stress, which cracks have left; see ``kernels.blocks.Sharing``."""
        if len(self.shared.own):
            self.shared = self.shared._replace(bias=bias)

    def store_mean_stress(self) -> None:
        """Write the mean stress of nodes in thin walls to the mesh, before the mesh is changed."""
        if len(self.shared.own):
            self.mesh.mean_stress[:] = self._mean_stress()
            self._has_stored = True

    def _mean_stress(self) -> np.ndarray:
        """Return the elastic mean stress of nodes, (N, 6) Pa; see ``walls.mean_stress``."""
        law = without_viscosity(self._law)
        state = self.mesh.position, self.mesh.velocity, self._blocks, self._regions
        with threads_for(len(self._rows)):
            _mean_stress_kernel(*state, self.shared, self._stiffness, self._damping, law, self._own, self._means)
        result = np.zeros((self.mesh.node_count, 6))
        result[self._regions.row_nodes] = self._means
        return result

    def advance(self, amplitudes: np.ndarray) -> None:
        """Take one time step for each of ``amplitudes`` (K,), which multiply the load."""
        mesh = self.mesh
        with threads_for(len(self._rows)):
            _leapfrog_kernel(
                self._blocks,
                self._regions,
                self.present_sharing,
                self._stiffness,
                self._damping,
                self.factor * self._law,
                mesh.mass,
                self.load,
                np.asarray(amplitudes, float),
                self.step,
                self.max_speed,
                self.drift,
                self._own,
                self._means,
                self._forces,
                mesh.position,
                mesh.velocity,
            )

    def flow(self, flow: Flow, cells: np.ndarray | None = None) -> None:
        """Update the plastic strain of all elements that are not idle, or of those in ``cells`` (C,) bool."""
        mesh = self.mesh
        rows = self._rows if cells is None else self._rows[cells[mesh.parent[self._rows]]]
        state = mesh.position, mesh.elements, mesh.basis, rows, mesh.plastic_strain
        with threads_for(len(rows)):
            _flow_kernel(flow.start, flow.hardening, flow.limit, flow.along, mesh.fibres_of(rows), *state)
        self._blocks = self._blocks._replace(plastic_strain=plastic_lanes(mesh, self._rows))

    @property
    def rows(self) -> np.ndarray:
        """Rows (A,) of the elements that are not idle."""
        return self._rows

    @property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors (A,) to stiffness and viscosity of the elements that are not idle; see ``shares``."""
        count = len(self._rows)
        return self._stiffness[:count], self._damping[:count]

    @property
    def present_sharing(self) -> Sharing:
        """Stress sharing at the present ``factor``."""
        return self.shared if self.factor == 1.0 else self.shared._replace(bias=self.factor * self.shared.bias)

    @property
    def present_law(self) -> Law:
        """The law at the present ``factor``."""
        return law_from(self.factor * self._law, self.law)

    def forces(self) -> np.ndarray:
        """Compute the forces of elements on nodes, (N, 3) N."""
        mesh = self.mesh
        state = mesh.position, mesh.velocity, self._blocks, self._regions
        law = self._stiffness, self._damping, self.factor * self._law
        with threads_for(len(self._rows)):
            if len(self.shared.own):
                _shared_forces_kernel(*state, self.present_sharing, *law, self._own, self._means, self._forces)
            else:
                _forces_kernel(*state, *law, self._forces)
        of_node = self._regions.row_nodes
        return np.stack([np.bincount(of_node, column, mesh.node_count) for column in self._forces.T], axis=1)

    def overloaded(self, limit: float | np.ndarray) -> np.ndarray:
        """Return the rows of elements whose stress (Frobenius norm) is above ``limit``, Pa, one value or (A,).

        The stress is that of the last call of ``separation`` with ``min_stress``.
        """
        return self._rows[~(self._sizes[: len(self._rows)] <= limit)]

    def separation(self, metric: np.ndarray | None = None, min_stress: np.ndarray | None = None) -> Separation:
        """Compute the separation tensor's largest eigenvalue at each node.

        Softened elements count with their softened stress. With full stiffness, the large and meaningless strains of
        slivers would crack their neighbours at a sixth of the load.

        Args:
            metric: (N, 3, 3) in rest space, see ``separation.direction_metric``; ``None`` for an isotropic body.
            min_stress: (N,) Pa. A node is skipped, with zero force, if no element around it has a stress this large.
        """
        with threads_for(len(self._rows)):
            return self._separation(metric, min_stress)

    def _separation(self, metric: np.ndarray | None, min_stress: np.ndarray | None) -> Separation:
        mesh, regions = self.mesh, self._regions
        state = mesh.position, mesh.velocity, self._blocks, regions
        law = self._stiffness, self._damping, self._law
        indices, active_blocks = np.arange(len(regions.nodes)), np.arange(len(self._sizes) // LANES)
        if min_stress is not None:
            _stress_sizes_kernel(*state, *law, self._sizes)
            indices, active_blocks = _candidates_kernel(
                self._starts, self._corners, regions.nodes, self._sizes, min_stress
            )
        force, normal, area = np.zeros(mesh.node_count), np.zeros((mesh.node_count, 3)), np.zeros(mesh.node_count)
        if len(indices):
            _pulls_kernel(*state, active_blocks, *law, self._sums, self._halves)
            metrics = self._metric_of(regions.nodes[indices], metric)
            _separation_kernel(regions, indices, self._sums, metrics, force, normal)
            _areas_kernel(self._blocks, regions, active_blocks, self._halves, normal, self._areas)
            _area_kernel(regions, indices, self._areas, area)
        return Separation(force, normal, area)

    def skin(self, metric: np.ndarray | None = None) -> Skin:
        """Compute the tension in the surfaces of thin walls at their nodes; ``metric`` as for ``separation``."""
        mesh = self.mesh
        state = mesh.rest, mesh.position, mesh.elements, mesh.plastic_strain
        sums = np.zeros((mesh.node_count, SKIN_SUMS))
        _skin_kernel(mesh.skin, self._rows, mesh.fibres_of(self._rows), self._stiffness, self._law, *state, sums)
        if metric is not None:
            nodes = np.flatnonzero(sums[:, 0] > 0.0)
            return scaled(sums, nodes, self._metric_of(nodes, metric))
        tension, normal = np.zeros(mesh.node_count), np.zeros((mesh.node_count, 3))
        _principal_kernel(sums, tension, normal)
        return Skin(tension, normal, sums[:, 0])

    def _metric_of(self, nodes: np.ndarray, metric: np.ndarray | None) -> np.ndarray:
        """Return the (K, 3, 3) metrics of nodes in world space; an empty array if ``metric`` is ``None``."""
        if metric is None:
            return np.empty((0, 3, 3))
        mesh, elements = self.mesh, self.mesh.elements[self._rows]
        gradients = deformation_gradients(mesh.position, elements, mesh.basis[self._rows])
        weighted = (mesh.volume[self._rows, None] * gradients.reshape(-1, 9)).repeat(4, axis=0)
        sums = [np.bincount(elements.ravel(), column, mesh.node_count)[nodes] for column in weighted.T]
        return rotated(metric[nodes], np.stack(sums, axis=1).reshape(-1, 3, 3))
