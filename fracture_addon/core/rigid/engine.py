"""Settings of Rapier, collision groups, and Rapier's failures as errors of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import rapier3d as rapier
from rapier3d import TriMeshFlags

from ..data.errors import FractureError
from .units import DETAIL, Units

# Largest speed, m/s; Rapier reduces higher ones. From 1e3 to 1e6 three scenes keep their bytes; at 100 one of them
# changes.
FASTEST = 1e4
# Distance at which bodies are in contact, and motion after which contacts are searched again, over the length unit: a
# fourth of Rapier's defaults. With the defaults, the balls along the cracks of a crate made 140,000 contact points, ten
# times as many as carry load (measured).
NEAR, FAR_MOVED = 0.005, 0.0125
# Hz, natural frequency of a contact, and its damping ratio: four times Rapier's default, and that default. A body rests
# about g / (2 pi f)^2 deep in another one, for each body that it carries. In heaps of a cup in 10 to 110 fragments,
# 1.8, 0.7 and 0.7 % of the volume are shared at 30, 60 and 120 Hz, in a dry wall of 8 rows 1.6, 0.4 and 0.1 %; at
# 240 Hz one brick of that wall does not come to rest.
CONTACT_FREQUENCY, CONTACT_DAMPING = 120.0, 10.0


@dataclass(frozen=True)
class CollisionGroup:
    """The collision group of a body, and the groups whose bodies it passes through.

    Attributes:
        number: 0 to 27. Bodies are in group 0 by default.
        ignored: Numbers of groups. A body of such a group must ignore this group too.
    """

    number: int = 0
    ignored: frozenset[int] = frozenset()

    def ignores(self, other: CollisionGroup | None) -> bool:
        """Return whether bodies of this group pass through those of another; ``None`` for the default group."""
        return (other.number if other else 0) in self.ignored

    def interaction_groups(self) -> rapier.InteractionGroups:
        """Return the group and the groups that it touches, as Rapier's type."""
        touched = ~sum(1 << number for number in self.ignored) & EVERYTHING
        return rapier.InteractionGroups(rapier.Group(1 << self.number), rapier.Group(touched))


TOUCHES_EVERYTHING = CollisionGroup()
# Two of Rapier's 32 collision groups are for contact between fragments: the balls of one touch the triangles of the
# other. Triangles touch nothing else, because triangles against triangles take seconds per frame.
FINE_BALLS, TRIANGLES = 1 << 30, 1 << 31
# Two are for contact between convex bodies (``hull_groups``).
HULL_BALLS, HULLS = 1 << 28, 1 << 29
EVERYTHING = 0xFFFFFFFF


class _Place(NamedTuple):
    """A pose without rotation, as plain numbers: Rapier reads them in a third of the time of its own type."""

    translation: list[float]
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)


def collider_groups() -> rapier.InteractionGroups:
    """Return the groups of an unbreakable object: it touches all balls and no triangles."""
    groups = EVERYTHING & ~(FINE_BALLS | TRIANGLES | HULLS)
    return rapier.InteractionGroups(rapier.Group(groups), rapier.Group(EVERYTHING))


def fine_ball_groups() -> rapier.InteractionGroups:
    """Return the groups of the balls of a fragment with triangles: they touch everything but each other."""
    return rapier.InteractionGroups(rapier.Group(FINE_BALLS), rapier.Group(EVERYTHING & ~FINE_BALLS))


def hull(points: np.ndarray) -> rapier.ColliderBuilder:
    """Return a convex hull of points (P, 3) in world units; ``hull_groups`` has its group."""
    return rapier.Collider.convex_hull(points).density(0.0)


def hull_groups(group: CollisionGroup) -> list[rapier.InteractionGroups]:
    """Return the groups of the balls and of the hull of a convex body.

    In the default group, hulls touch each other, and balls touch everything but the balls of such bodies. In other
    groups the hull touches nothing.
    """
    if group is TOUCHES_EVERYTHING:
        of_balls = rapier.InteractionGroups(rapier.Group(HULL_BALLS), rapier.Group(EVERYTHING & ~HULL_BALLS))
        return [of_balls, rapier.InteractionGroups(rapier.Group(HULLS), rapier.Group(HULLS))]
    return [group.interaction_groups(), rapier.InteractionGroups(rapier.Group(0), rapier.Group(0))]


def triangles(points: np.ndarray, faces: np.ndarray) -> rapier.ColliderBuilder:
    """Return a closed surface, (P, 3) in world units and (F, 3), that only the balls of other fragments touch."""
    flags = TriMeshFlags.FIX_INTERNAL_EDGES | TriMeshFlags.MERGE_DUPLICATE_VERTICES
    shape = rapier.Collider.trimesh(points, faces.astype(np.uint32), flags | TriMeshFlags.DELETE_DEGENERATE_TRIANGLES)
    groups = rapier.InteractionGroups(rapier.Group(TRIANGLES), rapier.Group(FINE_BALLS))
    return shape.density(0.0).collision_groups(groups)


def empty_world(units: Units, gravity: np.ndarray) -> rapier.PhysicsWorld:
    """Return a world without bodies; ``gravity`` (3,) m/s2."""
    world = rapier.PhysicsWorld(units.scaled(gravity))
    # With more threads a step of Rapier 0.36.1 sometimes waits for ever (github.com/dimforge/rapier/issues/1008).
    world.set_num_threads(1)
    parameters = world.integration_parameters
    parameters.length_unit = DETAIL
    # Clustering drops contacts of a compound shape, so that fragments at rest sink in slowly (measured).
    parameters.contact_clustering = False
    parameters.normalized_prediction_distance = NEAR
    parameters.normalized_contact_recycle_distance = FAR_MOVED
    parameters.contact_softness = rapier.SpringCoefficients(CONTACT_FREQUENCY, CONTACT_DAMPING)
    parameters.static_contact_softness = rapier.SpringCoefficients(2.0 * CONTACT_FREQUENCY, CONTACT_DAMPING)
    parameters.normalized_max_linear_velocity = FASTEST / units.length / DETAIL
    return world


def balls(centers: np.ndarray, radii: np.ndarray) -> rapier.SharedShape:
    """Return a shape of balls with centres (B, 3) and radii (B,), in the world's units."""
    places, parts = map(_Place, centers.tolist()), map(rapier.SharedShape.ball, radii.tolist())
    return rapier.SharedShape.compound(list(zip(places, parts, strict=True)))


def step(world: rapier.PhysicsWorld, seconds: float) -> None:
    """Advance a world by one step.

    Raises:
        FractureError: Rapier failed, or a position is not finite.
    """
    world.integration_parameters.dt = seconds
    try:
        world.step()
    except BaseException as error:
        # Rapier's panics are not subclasses of Exception.
        if type(error).__name__ == "PanicException":
            raise FractureError(
                "the rigid-body simulation failed; give colliders a thickness, or set their rigid-body shape to "
                "Convex Hull"
            ) from error
        raise
    if not world.quarantine.is_empty():
        raise FractureError("the rigid bodies diverged; raise Substeps, or remove very small or thin colliders")


def contact_points(pair: rapier.ContactPair, is_first: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the contact points of one collider of a pair, in the world's units, deepest first.

    Returns:
        (K,) rows of the parts of its shape, (K, 3) points relative to these parts, and (K,) gaps.
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
