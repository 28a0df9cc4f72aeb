"""Rapier as the rigid world wants it, and what goes wrong in it as errors of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import rapier3d as rapier
from rapier3d import TriMeshFlags

from ..data.errors import FractureError
from .units import DETAIL, Units

# Rapier cuts off what moves faster, m/s.
FASTEST = 1e4
# Bodies this near are in contact (as far as Rapier lets things sink), and contacts are found anew where they have moved
# by more: over its length unit, both a fourth of its own. With those, all the balls along the cracks of a crate make
# 140,000 points of contact, ten times as many as bear anything (measured).
NEAR, FAR_MOVED = 0.005, 0.0125


@dataclass(frozen=True)
class CollisionGroup:
    """The collision group of a body, and the groups whose bodies it passes through.

    Attributes:
        number: 0 to 29. Bodies are in group 0 by default.
        ignored: Numbers of groups. A body of such a group must ignore this group too.
    """

    number: int = 0
    ignored: frozenset[int] = frozenset()

    def ignores(self, other: CollisionGroup | None) -> bool:
        """Return whether bodies of this group pass through those of another; ``None`` for the default group."""
        return (other.number if other else 0) in self.ignored

    def interaction_groups(self) -> rapier.InteractionGroups:
        """Return the same in Rapier's form."""
        touched = ~sum(1 << number for number in self.ignored) & EVERYTHING
        return rapier.InteractionGroups(rapier.Group(1 << self.number), rapier.Group(touched))


TOUCHES_EVERYTHING = CollisionGroup()
# Two of Rapier's 32 collision groups tell how fragments touch each other: the balls of one touch the triangles of the
# other. Triangles touch nothing else: triangles against triangles take seconds per frame.
FINE_BALLS, TRIANGLES = 1 << 30, 1 << 31
EVERYTHING = 0xFFFFFFFF


class _Place(NamedTuple):
    """A pose that is not turned: of plain numbers, Rapier reads it in a third of the time that one of its own takes."""

    translation: list[float]
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)


def collider_groups() -> rapier.InteractionGroups:
    """Return the groups of an unbreakable object: it touches all balls and no triangles."""
    return rapier.InteractionGroups(rapier.Group(EVERYTHING & ~(FINE_BALLS | TRIANGLES)), rapier.Group(EVERYTHING))


def fine_ball_groups() -> rapier.InteractionGroups:
    """Return the groups of the balls of a fragment with triangles: they touch everything but each other."""
    return rapier.InteractionGroups(rapier.Group(FINE_BALLS), rapier.Group(EVERYTHING & ~FINE_BALLS))


def triangles(points: np.ndarray, faces: np.ndarray) -> rapier.ColliderBuilder:
    """Return a closed surface, (P, 3) in world units and (F, 3), that only the balls of other fragments touch."""
    flags = TriMeshFlags.FIX_INTERNAL_EDGES | TriMeshFlags.MERGE_DUPLICATE_VERTICES
    shape = rapier.Collider.trimesh(points, faces.astype(np.uint32), flags | TriMeshFlags.DELETE_DEGENERATE_TRIANGLES)
    groups = rapier.InteractionGroups(rapier.Group(TRIANGLES), rapier.Group(FINE_BALLS))
    return shape.density(0.0).collision_groups(groups)


def empty_world(units: Units, gravity: np.ndarray) -> rapier.PhysicsWorld:
    """A world with nothing in it yet, on one thread; ``gravity`` (3,) m/s2."""
    world = rapier.PhysicsWorld(units.scaled(gravity))
    world.set_num_threads(1)
    parameters = world.integration_parameters
    parameters.length_unit = DETAIL
    # Clustering drops contacts of a composite shape, and pieces at rest then sink in slowly (measured).
    parameters.contact_clustering = False
    parameters.normalized_prediction_distance = NEAR
    parameters.normalized_contact_recycle_distance = FAR_MOVED
    parameters.normalized_max_linear_velocity = FASTEST / units.length / DETAIL
    return world


def balls(centers: np.ndarray, radii: np.ndarray) -> rapier.SharedShape:
    """The shape of balls with centres (B, 3) and radii (B,), in the world's units."""
    places, parts = map(_Place, centers.tolist()), map(rapier.SharedShape.ball, radii.tolist())
    return rapier.SharedShape.compound(list(zip(places, parts, strict=True)))


def step(world: rapier.PhysicsWorld, seconds: float) -> None:
    """Advance a world by one step.

    Raises:
        FractureError: Rapier failed, or something left the finite numbers.
    """
    world.integration_parameters.dt = seconds
    try:
        world.step()
    except BaseException as error:
        # Its panics are no Exceptions.
        if type(error).__name__ == "PanicException":
            raise FractureError(
                "the rigid world failed; give colliders a thickness, or set their rigid-body shape to Convex Hull"
            ) from error
        raise
    if not world.quarantine.is_empty():
        raise FractureError("the rigid world blew up; use more sub-steps, or remove very small or thin colliders")


def contact_points(pair: rapier.ContactPair, is_first: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where one side of a pair in contact, the first or the second, is touched; in the world's units, deepest first.

    Returns:
        (K,) rows of the parts of its shape, (K, 3) places relative to these, and (K,) gaps.
    """
    parts, places, gaps = [], [], []
    for manifold in pair.manifolds:
        part = manifold.subshape1 if is_first else manifold.subshape2
        for point in manifold.points:
            parts.append(part)
            places.append((point.local_p1 if is_first else point.local_p2).to_tuple())
            gaps.append(point.dist)
    order = np.argsort(gaps, kind="stable")
    return np.array(parts, np.intp)[order], np.array(places).reshape(-1, 3)[order], np.array(gaps, float)[order]
