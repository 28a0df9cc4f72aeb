"""The load of an impact on a lattice: a rigid plate that pushes through a spring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.impact import Impact
from ..contact_patch import patch_forces
from ..rigid_components import Cells, components_by_label, masses_of
from .model import BodyModel
from .state import State


@dataclass
class Impactor:
    """A rigid plate that pushes the body through a spring, at one place or at several places.

    A rigid body receives exactly the pulse of the impact. A breaking body receives a smaller force, because its
    material moves away from the plate. A prescribed force would continue to act on broken material and turn it to dust.

    Attributes:
        impacts: Impacts with the points, the directions, and the shares of the force.
        speed: m/s of the plate.
        stiffness: N/m of the spring.
        weights: (N, 3) share of the force on each node.
        depth: m, compression of the spring.
        largest_force: N, limit of the force. Without it, the force on a pinned body would keep rising.
        work: J done on the body so far.

    Notes:
        Own; Norton et al. 1991 have obstacles only.

    Example:
        A plate at 2 m/s compresses a spring of 1,000 N/m for 10 ms, against a node that does not move.

        >>> plate = Impactor([], speed=2.0, stiffness=1000.0, weights=np.array([[1.0, 0.0, 0.0]]))
        >>> plate.advance(np.zeros((1, 3)), 0.01)
        >>> plate.depth, plate.force
        (0.02, 20.0)
    """

    impacts: Sequence[Impact]
    speed: float
    stiffness: float
    weights: np.ndarray
    depth: float = 0.0
    largest_force: float = np.inf
    work: float = 0.0

    @property
    def force(self) -> float:
        """Present force, N. The plate does not pull."""
        return min(self.stiffness * max(self.depth, 0.0), self.largest_force)

    def advance(self, displacements: np.ndarray, seconds: float) -> None:
        """Advance by ``seconds`` in which the nodes move by (N, 3) ``displacements``, m."""
        distance = float(np.einsum("ni,ni->", self.weights, displacements))
        self.work += self.force * distance
        self.depth += self.speed * seconds - distance


@dataclass
class SteadyLoad(Impactor):
    """A pressure that rises during the pulse and then stays, however the body moves.

    Attributes:
        rise: s, time until it is ``largest_force``.
        time: s, since its start.
    """

    rise: float = 0.0
    time: float = 0.0

    @property
    def force(self) -> float:
        """Present force, N."""
        return self.largest_force * min(self.time / self.rise, 1.0)

    def advance(self, displacements: np.ndarray, seconds: float) -> None:
        """Advance by ``seconds`` in which the nodes move by (N, 3) ``displacements``, m."""
        self.work += self.force * float(np.einsum("ni,ni->", self.weights, displacements))
        self.time += seconds


@dataclass
class ActiveImpact:
    """An impact on a deformable body that is still pushing.

    Attributes:
        row: Row of the body.
        impactor: The load, with weights of the body's own nodes.
        until: s, simulation time of its end.
    """

    row: int
    impactor: Impactor
    until: float


def start_impact(
    body: BodyModel, row: int, nodes: np.ndarray, state: State, impact: Impact, pulse: float
) -> ActiveImpact:
    """Start an impact on a body that moves and may be broken already.

    Args:
        body: The body.
        row: Its row.
        nodes: (N,) rows of its nodes among those of all bodies.
        state: State of all bodies.
        impact: In present world coordinates. Its peak force is kept.
        pulse: s, duration.
    """
    weights = impact_weights(body, nodes, state, [impact])
    impactor, _ = impactor_at(_cells(body, nodes, state), weights, [impact], pulse)
    # The speed of the plate is relative to the material that it hits.
    impactor.speed += float(np.einsum("ni,ni->", weights, state.velocities[nodes]))
    impactor.largest_force = impact.peak_force
    return ActiveImpact(row, impactor, state.time + pulse)


def impact_weights(body: BodyModel, nodes: np.ndarray, state: State, impacts: Sequence[Impact]) -> np.ndarray:
    """Distribute the force of simultaneous impacts over the nodes of a body that moves and may be broken.

    The other arguments are those of ``start_impact``.

    Returns:
        (N, 3) share of the force on each node.
    """
    _, part = np.unique(state.component[nodes], return_inverse=True)
    cells = _cells(body, nodes, state)
    return patch_forces(cells, masses_of(cells, part), impacts, body.spacing)


def _cells(body: BodyModel, nodes: np.ndarray, state: State) -> Cells:
    return Cells(state.positions[nodes], body.nodes.masses, body.nodes.inertias)


def impactor_at(nodes: Cells, weights: np.ndarray, impacts: Sequence[Impact], pulse: float) -> tuple[Impactor, float]:
    """Build an impactor at first contact with an unbroken body.

    The effective mass m of the contact on a spring k swings for half a period. The half period pi sqrt(m / k) is the
    pulse, the peak force is v sqrt(k m), and the momentum is 2 m v.

    Args:
        nodes: Nodes of the body as small rigid bodies.
        weights: (N, 3) share of the force on each.
        impacts: Of one direction; their peak forces sum to that of the impactor.
        pulse: s, duration.

    Returns:
        The impactor, and the momentum that it transfers to a rigid body, N s.

    Notes:
        Own; the oscillator of textbooks on vibration (Den Hartog 1934).

    Example:
        Half a sine of 2,000 N and 1 ms has the momentum 2 / pi x 2 N s.

        >>> node = Cells(np.zeros((1, 3)), np.array([2.0]), np.eye(3)[None])
        >>> impact = Impact([0, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=0.1)
        >>> impactor, momentum = impactor_at(node, np.array([[1.0, 0.0, 0.0]]), [impact], 1e-3)
        >>> round(momentum * np.pi, 9)
        4.0
    """
    parts = components_by_label(nodes, np.zeros(len(nodes.masses), np.int64), 1)
    acceleration, _ = parts.accelerations(nodes, weights)
    inverse_mass = float(np.einsum("ni,ni->", weights, acceleration))
    stiffness = (np.pi / pulse) ** 2 / inverse_mass
    peak = sum(impact.peak_force for impact in impacts)
    speed = float(peak * np.sqrt(inverse_mass / stiffness))
    return Impactor(impacts, speed, float(stiffness), weights), 2.0 * speed / inverse_mass
