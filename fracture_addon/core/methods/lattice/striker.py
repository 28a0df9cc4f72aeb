"""What a blow pushes a lattice with: a wall behind a spring, which cannot push harder than it can follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.impact import Impact
from ..contact_patch import patch_forces
from ..rigid_parts import Cells, masses_of, parts_of
from .body import Body
from .state import State


@dataclass
class Striker:
    """A wall that runs into the body through a spring, so that the body, were it rigid, would get the impact's pulse.

    What gives way in front of it gets no more load than the wall can follow with: a given force would go on tearing at
    a body that has long given in, and leave powder.

    Attributes:
        impact: Where and which way.
        speed: m/s of the wall.
        stiffness: N/m of the spring.
        depth: m by which the wall is ahead of the contact.
        weights: (N, 3) share of the force on each node.
        most: N that it pushes with at most: what is held cannot leave, and would be pushed ever harder.
        work: J that it has done on the body.
    """

    impact: Impact
    speed: float
    stiffness: float
    weights: np.ndarray
    depth: float = 0.0
    most: float = np.inf
    work: float = 0.0

    @property
    def force(self) -> float:
        """N at present; the wall does not pull."""
        return min(self.stiffness * max(self.depth, 0.0), self.most)

    def follow(self, moved: np.ndarray, seconds: float) -> None:
        """Go on by a time in which the nodes moved by (N, 3) m."""
        given_way = float(np.einsum("ni,ni->", self.weights, moved))
        self.work += self.force * given_way
        self.depth += self.speed * seconds - given_way


@dataclass
class Blow:
    """A striker of a body that deforms, for as long as it pushes.

    Attributes:
        row: Of the body.
        striker: Its weights are of the body's own nodes.
        until: s, of the run.
    """

    row: int
    striker: Striker
    until: float


def blow_on(body: Body, row: int, nodes: np.ndarray, state: State, impact: Impact, pulse: float) -> Blow:
    """A blow on a body that moves and may have come apart, with the impact's peak force.

    Args:
        body: The body.
        row: Its row.
        nodes: (N,) rows of its nodes among those of all bodies.
        state: Of all bodies.
        impact: In the world as it is.
        pulse: s.
    """
    weights = weights_on(body, nodes, state, impact)
    striker, _ = striker_at(_cells(body, nodes, state), weights, impact, impact.peak_force, pulse)
    # The wall is as fast beyond what it is to hit.
    striker.speed += float(np.einsum("ni,ni->", weights, state.velocities[nodes]))
    striker.most = impact.peak_force
    return Blow(row, striker, state.time + pulse)


def weights_on(body: Body, nodes: np.ndarray, state: State, impact: Impact) -> np.ndarray:
    """(N, 3) share of an impact's force on each of a body's nodes, as it moves and may have come apart."""
    _, part = np.unique(state.component[nodes], return_inverse=True)
    cells = _cells(body, nodes, state)
    return patch_forces(cells, masses_of(cells, part), [impact], body.spacing)


def _cells(body: Body, nodes: np.ndarray, state: State) -> Cells:
    return Cells(state.positions[nodes], body.nodes.masses, body.nodes.inertias)


def striker_at(nodes: Cells, weights: np.ndarray, impact: Impact, peak: float, pulse: float) -> tuple[Striker, float]:
    """A striker at first touch of what moves as one, and the momentum that it brings, N s.

    Half a swing of the contact's effective mass m on the spring k lasts as long as the pulse, pi sqrt(m / k), has the
    peak force v sqrt(k m), and carries the momentum 2 m v.

    Args:
        nodes: The body's, as small rigid bodies.
        weights: (N, 3) share of the force on each.
        impact: Where and which way.
        peak: N.
        pulse: s.
    """
    parts = parts_of(nodes, np.zeros(len(nodes.masses), np.int64), 1)
    acceleration, _ = parts.accelerations(nodes, weights)
    yielding = float(np.einsum("ni,ni->", weights, acceleration))
    stiffness = (np.pi / pulse) ** 2 / yielding
    speed = float(peak * np.sqrt(yielding / stiffness))
    return Striker(impact, speed, float(stiffness), weights), 2.0 * speed / yielding
