"""How a blow presses on a mesh that comes apart under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....data.impact import Impact
from ....data.solid import CELL_FACES, appears_once
from ..mesh import Mesh, lumped

# The contact patch's radius is at least this many elements.
SMALLEST_PATCH = 1.2
# Where less than this share of the first patch is not yet as fast as the striker, the load falls off.
SMALLEST_CONTACT = 0.4
# A round striker touches as far out as this many radii of the patch at first, and farther out as it goes on.
FIRST_TOUCH = 1.5


class ImpactPressure:
    """The loads of impacts that fall together on the nodes of a mesh's surface around their points.

    What is known to be round presses on what it has reached by its shape: no hole gets wider than the striker.
    """

    def __init__(self, mesh: Mesh, impacts: Sequence[Impact], size: float):
        """``size`` (m) is an element's."""
        self._impacts = impacts
        self._radii = [max(impact.radius, SMALLEST_PATCH * size) for impact in impacts]
        # A striker of unknown speed is taken to be heavy: it is as fast as the struck point of a rigid body would be.
        self._speeds = [impact.speed or impact.impulse * _inverse_mass(mesh, impact) for impact in impacts]
        self._on_surface = on_surface(mesh)
        self.find_patches(mesh, mesh.mass > 0.0)
        # The body's surface is where its first node is, which may be behind the place where the blow is said to fall.
        gaps = [self._gaps(mesh, row) for row in range(len(impacts))]
        self._ways = [max(float(gap.min()), 0.0) for gap in gaps]
        touched = zip(gaps, self._ways, self._patches, strict=True)
        self._first_weights = [weights[gap <= way].sum() for gap, way, (_, weights) in touched]

    def find_patches(self, mesh: Mesh, carries_stress: np.ndarray) -> None:
        """Find the nodes around each impact again, of those that are ``carries_stress`` (N,)."""
        added = np.zeros(mesh.node_count - len(self._on_surface), bool)
        self._on_surface = np.concatenate([self._on_surface, added])
        rows = np.flatnonzero(carries_stress & self._on_surface[mesh.rest_node])
        self._patches = []
        for impact, radius in zip(self._impacts, self._radii, strict=True):
            distance = np.linalg.norm(mesh.rest[rows] - impact.point, axis=1)
            nearest = distance.min(initial=np.inf)
            beyond = np.maximum(distance - (nearest if nearest > radius else 0.0), 0.0)
            near = beyond < 3.0 * radius
            mass = mesh.mass[rows[near]]
            # What is fixed, and infinitely heavy, does not give way to a push.
            weights = np.where(np.isfinite(mass), mass, 0.0) * np.exp(-((beyond[near] / radius) ** 2))
            self._patches.append((rows[near], weights))

    def press(self, mesh: Mesh, load: np.ndarray, span: float) -> None:
        """Write (N, 3) ``load``, the peak load in N, of nodes that are not yet as fast as what presses on them.

        Nodes are given no more than brings them to that speed within ``span`` (s), as if nothing held them.
        """
        load[:] = 0.0
        blows = zip(self._impacts, self._patches, self._speeds, self._first_weights, strict=True)
        for row, (impact, (nodes, weights), speed, first_weight) in enumerate(blows):
            touched = self._gaps(mesh, row) <= self._ways[row]
            slow = np.where(touched & (mesh.velocity[nodes] @ impact.direction < speed), weights, 0.0)
            force = impact.peak_force * slow / max(slow.sum(), SMALLEST_CONTACT * first_weight, 1e-300)
            load[nodes] += np.minimum(force, mesh.mass[nodes] * speed / span)[:, None] * impact.direction
            self._ways[row] += speed * span

    def _gaps(self, mesh: Mesh, row: int) -> np.ndarray:
        """(K,) m that a blow's striker has to go until it is at the nodes of its patch as they are; 0 for any shape."""
        impact, nodes = self._impacts[row], self._patches[row][0]
        if not impact.striker_radius:
            return np.zeros(len(nodes))
        return _way_to(mesh, nodes, impact, self._radii[row])


def _way_to(mesh: Mesh, nodes: np.ndarray, impact: Impact, radius: float) -> np.ndarray:
    """(K,) m that a ball has to go, from where it struck, until it is at nodes as they are now; infinite beside it.

    At first it touches all that is in the patch, of ``radius`` (m): the two are pressed flat there.
    """
    ball = max(impact.striker_radius, radius)
    arms = mesh.rest[nodes] - impact.point
    ahead = arms @ impact.direction
    squares = np.einsum("ni,ni->n", arms, arms) - ahead**2
    flat = ball - np.sqrt(max(ball**2 - (FIRST_TOUCH * radius) ** 2, 0.0))
    inside = squares < ball**2
    rounded = ball - np.sqrt(np.where(inside, ball**2 - squares, 0.0))
    moved = (mesh.position[nodes] - mesh.rest[nodes]) @ impact.direction
    return np.where(inside, ahead + rounded - flat + moved, np.inf)


def _inverse_mass(mesh: Mesh, impact: Impact) -> float:
    """1/kg by which a blow speeds up the point that it strikes, if the body were rigid, and free."""
    mass = lumped(mesh.elements, mesh.density * mesh.volume, mesh.node_count)
    total = mass.sum()
    center = mass @ mesh.rest / total
    arms = mesh.rest - center
    inertia = np.eye(3) * (mass @ (arms**2).sum(axis=1)) - np.einsum("n,ni,nj->ij", mass, arms, arms)
    turn = np.cross(impact.point - center, impact.direction)
    return float(1.0 / total + turn @ np.linalg.solve(inertia, turn))


def on_surface(mesh: Mesh) -> np.ndarray:
    """(N,) whether a node of the rest complex lies between an element with mass and one without, or none."""
    cells = mesh.rest_node[mesh.elements[~mesh.ghost]]
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    result = np.zeros(mesh.node_count, bool)
    result[faces[appears_once(faces)]] = True
    return result
