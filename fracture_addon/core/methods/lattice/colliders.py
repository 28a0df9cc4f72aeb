"""Convert the colliders of a job to obstacles that move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import sparse

from ...data.job import Body as JobBody
from ...data.job import Collider
from ...data.motion import Motion
from ...data.surface import Surface, area_vectors
from ...geometry.inside import is_inside
from ...geometry.inspection import is_flat
from ...geometry.nearest import nearest
from ..obstacle import obstacle_of
from .contact.contact_points import ContactPoints
from .contact.spring_contact import SpringContact
from .model import Model
from .state import State

# Stiffness of an obstacle over the largest stable one, m (2 / step)^2. A small share keeps the stable step long, but
# bodies sink in: glued bricks move 70, 63 and 61 mm at 0.1, 0.2 and 0.4.
OBSTACLE_SHARE = 0.2
# Depth over half of the smallest extent of a moving obstacle that a sheet should not exceed, and largest factor on the
# number of steps for it: with 2 a stone of 40 mm at 6 m/s still passes through a sheet of 300 cells; with 4 and 8 the
# sheet throws it back at 4.8 and 4.6 m/s.
SHEET_DEPTH, MOST_SHARPNESS = 0.25, 8
# Smallest restitution of a collider. Zero would mean critical damping, which needs shorter steps: glued bricks move
# 64, 63 and 63 mm at 0.1, 0.2 and 0.4.
SMALLEST_RESTITUTION = 0.2
# Barycentric weight below which a nearest point does not belong to a corner.
CORNER_TOLERANCE = 1e-9
ALL = slice(None)
# Margins of ``touching``: over the collider's radius, and over the distance that collider and nodes travel. Larger
# ones test more colliders. From 0.55 to 110 and from 1 to 200 all recordings keep their bytes; below, one differs by
# rounding.
REACH_MARGIN, TRAVEL_MARGIN = 1.1, 2.0


class ColliderObstacle:
    """A collider as an obstacle that moves.

    Attributes:
        is_flat: Whether its shape is a plane.

    Args:
        collider: Shape, friction and restitution.
        center: (3,) m, its reference point in rest space.
        model: The lattices that it pushes.
        jobs: The bodies of these lattices in the job.
        slack: (P,) m, depth of each contact point without a push; see ``SpringContact``.
        points: The contact points of the lattices.
    """

    def __init__(
        self,
        collider: Collider,
        center: np.ndarray,
        model: Model,
        jobs: Sequence[JobBody],
        slack: np.ndarray,
        points: ContactPoints,
    ):
        self._collider, self._center, self._model, self._jobs = collider, center, model, jobs
        self._slack, self._points = slack, points
        shape = collider.surface.points
        self.is_flat = is_flat(shape)
        self._reach = float(np.linalg.norm(shape - center, axis=1).max())
        self._half = 0.5 * float(np.ptp(shape, axis=0).min())
        self._spacing = float(np.median(model.lattice.rest_lengths))

    def touching(self, motion: Motion, state: State, places: np.ndarray, seconds: float) -> np.ndarray:
        """Return the rows of the contact points that the collider may touch within the next ``seconds``.

        Args:
            motion: Its motion.
            state: State of the lattices.
            places: (P, 3) m, its contact points now.
            seconds: s.
        """
        speed = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.angular_velocity) * self._reach
        speed += np.sqrt(np.einsum("ni,ni->n", state.velocities, state.velocities).max())
        margin = TRAVEL_MARGIN * speed * seconds
        if self.is_flat:
            # A plane has no far side: a point that another collider presses below it is pushed out at the next test.
            reach = margin + self._spacing - self._slack
            return np.flatnonzero(self._contact.obstacle.at(motion).touch(places, reach).depth)
        margin += REACH_MARGIN * self._reach
        arms = places - motion.pose[:3]
        return np.flatnonzero(np.einsum("ni,ni->n", arms, arms) < margin**2)

    def sharpness(self, motion: Motion, state: State, places: np.ndarray, rows: np.ndarray) -> int | None:
        """Return the factor on the number of steps with which the points stop the obstacle; ``None`` if they touch it.

        A mass M at the speed v sinks in by v sqrt(M / K) against the stiffness K of the points that it meets first. K
        grows with the square of the number of steps. A sheet that gives way by more than the obstacle's size would let
        it through.

        Args:
            motion: The motion of the obstacle.
            state: State of the lattices.
            places: (P, 3) m, the contact points.
            rows: (R,) the points that it may touch.
        """
        contact = self.at(motion, rows=rows)
        if contact.obstacle.touch(places[rows], -self._slack[rows]).depth.any():
            return None
        if motion.inverse_mass == 0.0 or self._half == 0.0:
            return 1
        arms = places[rows] - motion.pose[:3]
        nearest_row = rows[np.einsum("ni,ni->n", arms, arms).argmin()]
        around = rows[np.linalg.norm(places[rows] - places[nearest_row], axis=1) <= 0.5 * self._half]
        stiffness = float(np.asarray(self._contact.stiffness)[around].sum())
        speed = np.linalg.norm(motion.velocity - self._points.some(around).of(state.velocities).mean(axis=0))
        depth = float(speed) / np.sqrt(motion.inverse_mass * stiffness)
        return int(np.clip(np.ceil(depth / (SHEET_DEPTH * self._half)), 1, MOST_SHARPNESS))

    @cached_property
    def _contact(self) -> SpringContact:
        collider, center, model, jobs = self._collider, self._center, self._model, self._jobs
        masses = self._points.masses
        # Stiffness is proportional to the nodes' masses. One stiffness for all would be unstable for light nodes.
        rate = float(np.sqrt(OBSTACLE_SHARE)) * 2.0 / model.largest_step
        # A damped mass on a spring has the restitution exp(-pi zeta / sqrt(1 - zeta^2)).
        log_restitution = np.log(max(collider.restitution, SMALLEST_RESTITUTION))
        return SpringContact(
            obstacle_of(
                collider,
                center,
                self._spacing,
                float(np.mean([job.material.friction for job in jobs])),
                np.mean([job.surface.points.mean(axis=0) for job in jobs], axis=0),
            ),
            stiffness=rate**2 * masses,
            damping=-2.0 * log_restitution / np.hypot(np.pi, log_restitution) * rate * masses,
            slack=self._slack,
            points=self._points,
        )

    def allow_initial_overlap(self, motion: Motion, depth: float) -> None:
        """Do not push out nodes that start inside by up to ``depth``, m. Artists often place objects a bit too low."""
        depths = self.at(motion).depths(self._model.lattice.points)
        self._slack = np.maximum(self._slack, np.where((depths > 0.0) & (depths < depth), depths, -np.inf))
        self._contact = replace(self._contact, slack=self._slack)

    def at(
        self,
        motion: Motion,
        points: ContactPoints | None = None,
        rows: np.ndarray | slice = ALL,
        sharpness: int = 1,
    ) -> SpringContact:
        """Return the obstacle with the pose and the velocities of ``motion``.

        Args:
            motion: The motion.
            points: All contact points, after cells have broken; ``None`` for the initial ones.
            rows: The contact points that it may touch.
            sharpness: Factor on the number of steps.
        """
        contact, points = self._contact, points or self._points
        return replace(
            contact,
            obstacle=contact.obstacle.at(motion),
            stiffness=sharpness**2 * np.asarray(contact.stiffness)[rows],
            damping=sharpness * np.asarray(contact.damping)[rows],
            slack=self._slack[rows],
            points=points.some(rows),
        )


def distances_outside(surface: Surface, points: np.ndarray) -> np.ndarray:
    """Compute the distances of points outside a closed surface. Nodes may sink into a flat collider by this distance.

    Beside an edge or a corner, the distance is that from the plane of an adjacent face: the one whose normal points
    down most, because bodies mostly rest on colliders below them. The distance from the edge itself is larger.

    Args:
        surface: Closed.
        points: (N, 3) m.

    Returns:
        (N,) m; 0 for points inside.
    """
    faces, weights, _ = nearest(surface, points)
    row, corner = np.nonzero(weights > CORNER_TOLERANCE)
    at_corners = _incidence(row, surface.faces[faces][row, corner], (len(points), len(surface.points)))
    at_faces = _incidence(
        np.arange(surface.faces.size) // 3, surface.faces.ravel(), (len(surface.faces), len(surface.points))
    )
    # Faces that contain all corners of the face, edge or corner on which the nearest point lies.
    shared = (at_corners @ at_faces.T).tocoo()
    contains = shared.data == np.count_nonzero(weights > CORNER_TOLERANCE, axis=1)[shared.row]
    row, face = shared.row[contains], shared.col[contains]
    normals = area_vectors(surface)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    arms = points - np.einsum("nc,nci->ni", weights, surface.corners[faces])
    order = np.lexsort((face, normals[face, 2], row))
    lowest = normals[face[order][np.unique(row[order], return_index=True)[1]]]
    return np.where(is_inside(surface, points), 0.0, np.abs(np.einsum("ni,ni->n", arms, lowest)))


def _incidence(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array(sparse.coo_array((np.ones(len(rows), np.int32), (rows, columns)), shape=shape))
