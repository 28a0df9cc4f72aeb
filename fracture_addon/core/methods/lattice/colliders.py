"""Colliders of a job as obstacles that can be put anywhere."""

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
from ...geometry.distance_field import closed, distance_field
from ...geometry.inside import is_inside
from ...geometry.inspection import is_flat
from ...geometry.nearest import nearest
from ...geometry.plain_shapes import ball_around, plane_through
from ...numerics.rotations import matrices
from .contact.obstacles import Obstacle
from .contact.samples import Sampled, Samples
from .contact.shape_obstacle import ShapeObstacle
from .state import Model, State

# What obstacles push with, over what the fastest vibration bears: they hardly shorten the largest stable step.
OBSTACLE_SHARE = 0.2
# Restitution of colliders, at least: with none damping would be critical, and ask for shorter steps.
LEAST_BOUNCE = 0.2
# Points of a shape's field lie no nearer to each other than this over the length of a bond.
FIELD_SHARE = 0.4
# A place on a face lies on what joins the corners of which it has more than this share.
ON_CORNER = 1e-9


class Placed:
    """A collider as an obstacle that can be put anywhere.

    Args:
        collider: Its shape.
        center: (3,) its point of reference.
        model: Of the lattices that it pushes.
        jobs: Their bodies.
        slack: (N,) m by which nodes stand off the bodies' surfaces.
        samples: Places between the nodes of sheets.
    """

    def __init__(
        self,
        collider: Collider,
        center: np.ndarray,
        model: Model,
        jobs: Sequence[JobBody],
        slack: np.ndarray,
        samples: Samples,
    ):
        self._collider, self._center, self._model, self._jobs = collider, center, model, jobs
        self._slack, self._samples = samples.extended(slack), samples
        points = collider.surface.points
        self._reach = np.inf if is_flat(points) else float(np.linalg.norm(points - center, axis=1).max())

    def may_touch(self, motion: Motion, state: State, seconds: float) -> bool:
        """Whether it comes near any node within the next so many seconds."""
        if np.isinf(self._reach):
            return True
        speed = np.linalg.norm(motion.velocity) + np.linalg.norm(motion.angular_velocity) * self._reach
        speed += np.sqrt(np.einsum("ni,ni->n", state.velocities, state.velocities).max())
        near = 1.1 * self._reach + 2.0 * speed * seconds
        low, high = state.positions.min(axis=0) - near, state.positions.max(axis=0) + near
        return bool(((motion.pose[:3] > low) & (motion.pose[:3] < high)).all())

    @cached_property
    def _obstacle(self) -> Obstacle | ShapeObstacle:
        collider, center, model, jobs = self._collider, self._center, self._model, self._jobs
        masses = self._samples.masses
        # In proportion to the nodes' masses: light ones would be thrown about else.
        rate = float(np.sqrt(OBSTACLE_SHARE)) * 2.0 / model.largest_step
        # Of a mass on a spring with damping: restitution is exp(-pi zeta / sqrt(1 - zeta^2)).
        bounce = np.log(max(collider.restitution, LEAST_BOUNCE))
        common = {
            "stiffness": rate**2 * masses,
            "damping": -2.0 * bounce / np.hypot(np.pi, bounce) * rate * masses,
            "slack": self._slack,
            "friction": 0.5 * (collider.friction + float(np.mean([job.material.friction for job in jobs]))),
        }
        points = collider.surface.points
        if collider.shape == "sphere":
            middle, radius = ball_around(points)
            return Obstacle(middle, radius=radius, **common)
        if is_flat(points):
            above = np.mean([job.surface.points.mean(axis=0) for job in jobs], axis=0)
            return Obstacle(*plane_through(points, above), **common)
        surface = closed(collider.surface, collider.shape, collider.name)
        finest = FIELD_SHARE * float(np.median(model.lattice.rest_lengths))
        shape = distance_field(replace(surface, points=surface.points - center), finest)
        return ShapeObstacle(shape, np.array([*center, 1.0, 0, 0, 0]), **common)

    def forgive(self, motion: Motion, most: float) -> None:
        """Let nodes that begin inside, by up to so many metres, stay: objects are often placed a little too low."""
        depths = self._moved(motion).depths(self._samples.extended(self._model.lattice.points))
        self._slack = np.maximum(self._slack, np.where(depths < most, depths, 0.0))
        self._obstacle = replace(self._obstacle, slack=self._slack)

    def at(self, motion: Motion) -> Obstacle | ShapeObstacle | Sampled:
        """The obstacle on its way."""
        moved = self._moved(motion)
        return Sampled(moved, self._samples) if self._samples.weights.shape[0] else moved

    def _moved(self, motion: Motion) -> Obstacle | ShapeObstacle:
        taken = np.zeros(3)
        if isinstance(self._obstacle, ShapeObstacle):
            moving = {"velocity": motion.velocity, "angular_velocity": motion.angular_velocity}
            return replace(self._obstacle, pose=motion.pose, taken=taken, **moving)
        turn = matrices(motion.pose[3:])
        arm = turn @ (self._obstacle.point - self._center)
        velocity = motion.velocity + np.cross(motion.angular_velocity, arm)
        normal = turn @ self._obstacle.normal
        return replace(self._obstacle, point=motion.pose[:3] + arm, normal=normal, velocity=velocity, taken=taken)


def off_surface(surface: Surface, points: np.ndarray) -> np.ndarray:
    """(N,) m by which points are outside a closed surface, 0 inside: as far they may sink into what it rests on.

    Beside an edge it is the distance from the plane of the face there that looks down most, as what it rests on is
    below most often: from the edge itself they are further.
    """
    faces, weights, _ = nearest(surface, points)
    row, corner = np.nonzero(weights > ON_CORNER)
    at_corners = _incidence(row, surface.faces[faces][row, corner], (len(points), len(surface.points)))
    at_faces = _incidence(
        np.arange(surface.faces.size) // 3, surface.faces.ravel(), (len(surface.faces), len(surface.points))
    )
    # Faces that have all the corners between which the nearest place lies.
    meets = (at_corners @ at_faces.T).tocoo()
    whole = meets.data == np.count_nonzero(weights > ON_CORNER, axis=1)[meets.row]
    row, face = meets.row[whole], meets.col[whole]
    normals = area_vectors(surface)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    arms = points - np.einsum("nc,nci->ni", weights, surface.corners[faces])
    order = np.lexsort((face, normals[face, 2], row))
    lowest = normals[face[order][np.unique(row[order], return_index=True)[1]]]
    return np.where(is_inside(surface, points), 0.0, np.abs(np.einsum("ni,ni->n", arms, lowest)))


def _incidence(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array(sparse.coo_array((np.ones(len(rows), np.int32), (rows, columns)), shape=shape))
