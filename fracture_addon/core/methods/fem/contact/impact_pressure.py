"""Load of an impact on the nodes of a mesh that cracks under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from ....data.impact import Impact
from ....data.solid import outer_faces
from ..state import Mesh, lumped

# Smallest radius of a contact patch, in element sizes. Insensitive from 0.6 to 2.4: fragments of an impact change no
# more than by rounding (docs/decisions/constants.md).
SMALLEST_PATCH = 1.2
# Smallest weight of the nodes slower than the impactor that take the whole load, as a share of the first patch's
# weight. With less weight the load is smaller. Insensitive from 0.2 to 0.8: fragments of an impact change no more than
# by rounding (docs/decisions/constants.md).
SMALLEST_CONTACT = 0.4
# Radius of the first contact of a round impactor, in radii of the patch. A smaller one presses on fewer nodes: two
# bodies that collide break into 14, 11 and 12 fragments at 0.75, 1.5 and 3.
FIRST_TOUCH = 1.5
# Distance from the impact point at which a patch ends, in radii of the patch; the Gaussian weight there is 1e-4.
PATCH_END = 3.0
# Nodes that share a steady pressure on a face: its corners.
CORNERS = 3
# Smallest weight treated as nonzero, kg.
TINY = 1e-300


class ImpactPressure:
    """Loads of simultaneous impacts on the surface nodes around their points, or of a steady pressure on faces.

    A round impactor loads only the nodes that its shape has reached. Holes are therefore no wider than it.

    Args:
        mesh: The mesh at the start of the impacts.
        impacts: Points in rest space, directions in world space.
        size: Size of an element, m.

    Notes:
        Own (docs/decisions/contact_patch.md).

    Example:
        The nodes of two elements together get the peak force of an impact, 2 x 1 N s / 1 ms.

        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> mesh = from_solid(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), density=1000.0)
        >>> impact, load = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0), np.zeros((5, 3))
        >>> ImpactPressure(mesh, [impact], size=1.0).press(mesh, load, span=1e-6)
        >>> load.sum(axis=0).round(6).tolist()
        [2000.0, 0.0, 0.0]
    """

    def __init__(self, mesh: Mesh, impacts: Sequence[Impact], size: float):
        # A vibration is no force: the body starts deflected.
        self._steady = [impact for impact in impacts if impact.faces is not None and impact.deflection is None]
        self._impacts = impacts = [impact for impact in impacts if impact.faces is None]
        self._radii = [max(impact.radius, SMALLEST_PATCH * size) for impact in impacts]
        # An impactor of unknown speed counts as heavy. It has the speed that the impact gives to its point of the
        # body.
        rigid_speeds = _speeds_after(mesh, impacts) if impacts else []
        self._speeds = [impact.speed or speed for impact, speed in zip(impacts, rigid_speeds, strict=True)]
        self._on_surface = on_surface(mesh)
        self.find_patches(mesh, mesh.mass > 0.0)
        # The mesh only approximates the surface: its first node may lie behind the impact point.
        gaps = [self._gaps(mesh, row) for row in range(len(impacts))]
        self._travels = [max(float(gap.min()), 0.0) for gap in gaps]
        reached = zip(gaps, self._travels, self._patches, strict=True)
        self._first_weights = [weights[gap <= travel].sum() for gap, travel, (_, weights) in reached]

    def find_patches(self, mesh: Mesh, carries_stress: np.ndarray) -> None:
        """Find the nodes around each impact among those where ``carries_stress`` (N,) is true."""
        added = np.zeros(mesh.node_count - len(self._on_surface), bool)
        self._on_surface = np.concatenate([self._on_surface, added])
        rows = np.flatnonzero(carries_stress & self._on_surface[mesh.rest_node])
        self._patches = []
        # A body that is crushed altogether has no such nodes.
        steady = self._steady if len(rows) >= CORNERS else []
        tree = cKDTree(mesh.rest[rows]) if steady else None
        self._pressed = [_steady_forces(tree, rows, impact) for impact in steady]
        for impact, radius in zip(self._impacts, self._radii, strict=True):
            distance = np.linalg.norm(mesh.rest[rows] - impact.point, axis=1)
            nearest = distance.min(initial=np.inf)
            beyond = np.maximum(distance - (nearest if nearest > radius else 0.0), 0.0)
            near = beyond < PATCH_END * radius
            mass = mesh.mass[rows[near]]
            # Fixed nodes have an infinite mass and take no load.
            weights = np.where(np.isfinite(mass), mass, 0.0) * np.exp(-((beyond[near] / radius) ** 2))
            self._patches.append((rows[near], weights))

    def press(self, mesh: Mesh, load: np.ndarray, span: float) -> None:
        """Write the peak loads of nodes that are slower than the impactor, and advance the impactors.

        A node gets at most the force that brings it to the impactor's speed within ``span`` if it is free.

        Args:
            mesh: The mesh now.
            load: (N, 3) N, output.
            span: Time until the next call, s.
        """
        load[:] = 0.0
        for nodes, forces in self._pressed:
            np.add.at(load, nodes, forces)
        each = zip(self._impacts, self._patches, self._speeds, self._first_weights, strict=True)
        for row, (impact, (nodes, weights), speed, first_weight) in enumerate(each):
            reached = self._gaps(mesh, row) <= self._travels[row]
            slow = np.where(reached & (mesh.velocity[nodes] @ impact.direction < speed), weights, 0.0)
            force = impact.peak_force * slow / max(slow.sum(), SMALLEST_CONTACT * first_weight, TINY)
            load[nodes] += np.minimum(force, mesh.mass[nodes] * speed / span)[:, None] * impact.direction
            self._travels[row] += speed * span

    def _gaps(self, mesh: Mesh, row: int) -> np.ndarray:
        """Return the (K,) travel of an impactor to each node of its patch, m; 0 for an impactor of unknown shape."""
        impact, nodes = self._impacts[row], self._patches[row][0]
        if not impact.impactor_radius:
            return np.zeros(len(nodes))
        return _travel_to(mesh, nodes, impact, self._radii[row])


def _steady_forces(tree: cKDTree, rows: np.ndarray, impact: Impact) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes (K,) on which a steady pressure acts, among those in ``tree``, and the forces (K, 3) N."""
    assert impact.faces is not None
    near = rows[tree.query(impact.faces.points, CORNERS)[1]]
    return near.ravel(), np.repeat(impact.peak_force / CORNERS * impact.faces.shares, CORNERS, axis=0)


def _travel_to(mesh: Mesh, nodes: np.ndarray, impact: Impact, radius: float) -> np.ndarray:
    """Return the (K,) travel of a ball from the impact point to nodes at their positions, m; infinite beside the ball.

    The first contact is flat. Its radius is ``FIRST_TOUCH`` times the ``radius`` (m) of the patch.
    """
    ball = max(impact.impactor_radius, radius)
    arms = mesh.rest[nodes] - impact.point
    ahead = arms @ impact.direction
    squares = np.einsum("ni,ni->n", arms, arms) - ahead**2
    flat = ball - np.sqrt(max(ball**2 - (FIRST_TOUCH * radius) ** 2, 0.0))
    inside = squares < ball**2
    rounded = ball - np.sqrt(np.where(inside, ball**2 - squares, 0.0))
    moved = (mesh.position[nodes] - mesh.rest[nodes]) @ impact.direction
    return np.where(inside, ahead + rounded - flat + moved, np.inf)


def _speeds_after(mesh: Mesh, impacts: Sequence[Impact]) -> list[float]:
    """Return the speed, m/s, of each impact's point along its direction after all impacts on a free rigid body."""
    mass = lumped(mesh.elements, mesh.density * mesh.volume, mesh.node_count)
    total = mass.sum()
    center = mass @ mesh.rest / total
    arms = mesh.rest - center
    inertia = np.eye(3) * (mass @ (arms**2).sum(axis=1)) - np.einsum("n,ni,nj->ij", mass, arms, arms)
    levers = np.array([impact.point - center for impact in impacts])
    directions = np.array([impact.direction for impact in impacts])
    impulses = np.array([impact.impulse for impact in impacts])[:, None] * directions
    velocity = impulses.sum(axis=0) / total
    spin = np.linalg.solve(inertia, np.cross(levers, impulses).sum(axis=0))
    return np.einsum("ij,ij->i", velocity + np.cross(spin, levers), directions).tolist()


def on_surface(mesh: Mesh) -> np.ndarray:
    """Return (N,) bool, nodes of the rest complex on the surface of the elements with mass."""
    result = np.zeros(mesh.node_count, bool)
    result[outer_faces(mesh.rest_node[mesh.elements[~mesh.ghost]])[0]] = True
    return result
