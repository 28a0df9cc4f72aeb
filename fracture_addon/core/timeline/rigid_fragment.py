"""Rigid fragments of a body, from birth to death. The whole body is the fragment of depth 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..cutting.cell_complex import CellComplex
from ..data.arrays import ReadOnlyArrays
from ..data.job import Body
from ..data.solid import SolidModel, cell_volumes, extract
from ..data.surface import Surface, joined
from ..meshing.filling.tetrahedralize import CELLS_PER_CUBIC_SPACING
from ..methods.method import Prepared
from ..rigid import collision_shape
from ..rigid.collider_shape import convex_corners
from ..rigid.collision_shape import LARGE_SHARE, LARGE_SHARE_WITH_TRIANGLES
from ..rigid.rigid_properties import RigidProperties
from .pins import find_anchors

# Counts of collision balls. Balls cost time and memory, because crack faces that lie on one another touch with all of
# them. Few balls for fragments of fragments take the steps of a crate of 400 fragments from 22 to 4.3 s of processor
# time (docs/decisions/rigid_contacts.md). The ranges were measured on the small scenes of
# docs/decisions/constants.md.
# Number of balls of all fragments of a whole body, or of all islands of an object; each has a share in proportion to
# its mass. Fragments of a fragment divide that fragment's share. 2,000, 8,000 and 80,000 give the same counts of
# fragments, except that three overlapping bodies break into 10 instead of 162 at 2,000.
FRAGMENT_BALLS = 4000
# The same where only balls touch. 250 and 500 random fragments of a cup in a heap share 36 and 68 % of their volume
# with 4,000 balls, 11 and 28 % with 8,000, 6 and 14 % with 12,000; a frame takes 6 and 15, 24 and 28, 37 and 42 ms.
FRAGMENT_BALLS_ALONE = 12000
# Largest number of balls of one fragment. 400 and 1,600 give the same counts, except that three overlapping bodies
# break into 15 and 22 instead of 162.
MOST_BALLS = 800
# Largest number of balls of a whole body. At 4,000 three small scenes keep their bytes; at 1,000 two bodies that hit
# each other break into 9 fragments instead of 6.
WHOLE_BALLS = 2000
# Largest number of corners of a hull. A step of Rapier fails with the hull of a ball of 10,000 points; with 3,000
# random convex shapes of at most 256 corners none did. At 64 and 1,000 all recordings keep their bytes.
MOST_CORNERS = 256
# Number of balls that each fragment may have, whatever its mass: it needs some to stand on. At 50 and 200 three small
# scenes keep their bytes.
FEWEST_BALLS = 100
# If a break gives more fragments than this, only their balls touch, not their surfaces: 500 surfaces take four times
# the time per frame of their balls alone.
MOST_SURFACES = 120
# A fragment with fewer cells cannot break again, because cells do not resolve its inside. From 4 to 40 all recordings
# keep their bytes, and at 80 the number of fragments is the same.
FEWEST_CELLS = 40


@dataclass(frozen=True)
class CollisionShape(ReadOnlyArrays):
    """Collision shape of a rigid fragment.

    Attributes:
        centers: (B, 3) m, centres of balls, rest space.
        radii: (B,) m.
        surface: Surface that the balls of other fragments touch; ``None`` if their balls touch these balls.
        hull: (H, 3) m, corners of a convex whole body, which touches other such bodies with its convex hull; else
            ``None``.
    """

    centers: np.ndarray
    radii: np.ndarray
    surface: Surface | None = None
    hull: np.ndarray | None = None


@dataclass(frozen=True)
class Breakable(ReadOnlyArrays):
    """A body of the job with its cells and its method's model.

    Attributes:
        body: The job's body.
        surface: Closed; the body's own surface or the repaired one.
        solid: Cells that fill it.
        prepared: The method's model and solver of the whole solid.
        repair: Report of the repair, ready for JSON.
        complex: Cell complex of the solid, possibly from the cache; ``None`` if nothing is cut.
        members: The objects of a bonded body, in the order of their cells; empty for a body of one object.
        kinematic_points: (K, 3) m, points of a bonded body that stay kinematic; ``None`` for those that are pinned.
    """

    body: Body
    surface: Surface
    solid: SolidModel
    prepared: Prepared
    repair: Mapping[str, object]
    complex: CellComplex | None = None
    members: tuple[Breakable, ...] = ()
    kinematic_points: np.ndarray | None = None

    @cached_property
    def volume(self) -> float:
        """Volume of the cells, m3."""
        return float(cell_volumes(self.solid.points, self.solid.cells).sum())

    @cached_property
    def anchors(self) -> np.ndarray:
        """Pinned points (K, 3) m, rest space."""
        if self.kinematic_points is not None:
            return self.kinematic_points
        return find_anchors(self.body.settings.motion.pinned, self.solid)

    @property
    def objects(self) -> tuple[Breakable, ...]:
        """The objects that the body consists of: itself, unless it is bonded."""
        return self.members or (self,)


@dataclass
class RigidFragment:
    """A rigid fragment of a body; depth 0 is the whole body.

    Attributes:
        body: Row of the job's bodies.
        parent: Row of the fragment that broke into this one; -1 for a whole body.
        depth: 0 for a whole body, 1 for a fragment of it, and so on.
        solid: Solid that its cells belong to: the body's, or the one that a method made while it cracked the body.
        cells: (N,) rows of the solid's cells, ascending.
        properties: Mass, centre of mass in rest space, inertia.
        surfaces: Closed surfaces in rest space to draw; one or several.
        owners: Row of ``Breakable.objects`` for each surface.
        poses: (T, 7), one for each frame.
        birth_row, death_row: Rows of frames, from the first frame; death -1 for never.
        key: Key in the rigid world; -1 before its birth and after its death.
        kinematic: Whether it follows a track or is frozen.
        waits: Whether it follows the track, or is frozen, only until an event of its own (``activation``).
        is_frozen: Whether the last one of its freezes holds it in the world, although it is kinematic.
        freezes: Rows of the job's freezes that stopped it, or what it was a part of.
        track: (T, 7) pose on each frame of the run, if it does not follow the body's track; else ``None``.
        anchors: (K, 3) m, rest space: its pinned points.
        breakable_from: s; until then it does not break, because the impact that made it is still acting.
        prepared: The method's model and solver, made when first needed.
        smallest_critical: N, smallest critical load so far.
        check_count: Number of critical loads computed.
        lost_volume: m3, difference between its volume and the sum over its fragments.
        dust_volume: m3, volume that the cut leaves out as dust.
        dust_count: Fragments that the cut left too small to keep, merged or dropped.
        is_cracked: Whether reinforcement holds its parts together. It does not break again.
    """

    body: int
    parent: int
    depth: int
    solid: SolidModel
    cells: np.ndarray
    properties: RigidProperties
    surfaces: Sequence[Surface]
    owners: Sequence[int]
    poses: np.ndarray
    birth_row: int = 0
    death_row: int = -1
    key: int = -1
    kinematic: bool = False
    waits: bool = False
    is_frozen: bool = False
    freezes: tuple[int, ...] = ()
    track: np.ndarray | None = None
    anchors: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    breakable_from: float = 0.0
    prepared: Prepared | None = None
    smallest_critical: float = np.inf
    check_count: int = 0
    lost_volume: float = 0.0
    dust_volume: float = 0.0
    dust_count: int = 0
    is_cracked: bool = False

    @cached_property
    def volume(self) -> float:
        """Volume of the cells, m3."""
        return float(cell_volumes(self.solid.points, self.solid.cells[self.cells]).sum())

    @cached_property
    def cell_size(self) -> float:
        """Point spacing that gives cells of the mean volume, m."""
        return float(np.cbrt(CELLS_PER_CUBIC_SPACING * self.volume / len(self.cells)))

    @property
    def own_solid(self) -> SolidModel:
        """Solid of its own cells only."""
        return self.solid if len(self.cells) == self.solid.cell_count else extract(self.solid, self.cells)


def can_break(breakable: Breakable, depth: int, cell_count: int, is_cracked: bool) -> bool:
    """Return whether a fragment may ever break: a whole body, or one with enough cells and within the break depth.

    A cracked one that reinforcement holds together does not break again.
    """
    deepest = breakable.body.settings.motion.break_depth
    return depth == 0 or (depth < deepest and cell_count >= FEWEST_CELLS and not is_cracked)


def whole_shape(surface: Surface, solid: SolidModel, island_share: float | None) -> CollisionShape:
    """Build the collision shape of a whole body.

    Args:
        surface: Its surface.
        solid: Its cells.
        island_share: Share of its object's volume, if it is an island.
    """
    share = 1.0 if island_share is None else island_share
    most = min(WHOLE_BALLS, max(FEWEST_BALLS, int(FRAGMENT_BALLS * share)))
    shape = _shape([surface], solid, np.arange(solid.cell_count), most, surface.diagonal)
    return replace(shape, hull=_hull(surface))


def _hull(surface: Surface) -> np.ndarray | None:
    """Return corners (H, 3) of the hull of a convex surface, within the tolerance of the balls; else ``None``."""
    corners = convex_corners(surface)
    if corners is None:
        return None
    return corners[collision_shape.corners(corners, collision_shape.TOLERANCE * surface.diagonal, MOST_CORNERS)]


def fragment_shape(
    breakable: Breakable,
    solid: SolidModel,
    cells: np.ndarray,
    surfaces: Sequence[Surface],
    properties: RigidProperties,
    parent_share: float,
    siblings: int,
    *,
    has_surface: bool = True,
) -> CollisionShape:
    """Build the collision shape of a fragment.

    Args:
        breakable: The body.
        solid: Solid that the cells belong to.
        cells: (N,) rows of the solid's cells.
        surfaces: Surfaces of the fragment; empty if the cut left none.
        properties: Mass properties of the fragment.
        parent_share: Volume of the broken fragment over that of the whole body.
        siblings: Number of fragments of the same break.
        has_surface: Whether it may have a surface that other fragments touch.
    """
    share = properties.mass / (breakable.body.material.density * breakable.volume)
    balls_of_all = FRAGMENT_BALLS if siblings <= MOST_SURFACES else FRAGMENT_BALLS_ALONE
    total = max(int(balls_of_all * parent_share), min(FEWEST_BALLS * siblings, balls_of_all))
    most = min(MOST_BALLS, max(total // siblings, int(balls_of_all * share)))
    size = breakable.surface.diagonal
    if not surfaces or siblings > MOST_SURFACES or not has_surface:
        return _shape(surfaces, solid, cells, most, size)
    triangles = collision_shape.triangles(joined(surfaces), size)
    return _shape(surfaces, solid, cells, most, size, triangles)


def _shape(
    surfaces: Sequence[Surface],
    solid: SolidModel,
    cells: np.ndarray,
    most: int,
    size: float,
    triangles: Surface | None = None,
) -> CollisionShape:
    boundary, outer = collision_shape.boundary(solid.points, solid.cells[cells])
    centers, inradii = collision_shape.inspheres(solid.points, solid.cells[cells[outer]])
    surface = joined(surfaces) if surfaces else boundary
    share = LARGE_SHARE if triangles is None else LARGE_SHARE_WITH_TRIANGLES
    ball_centers, radii = collision_shape.balls(surface, centers, boundary.points, most, size, share)
    if not len(radii):
        # A fragment thinner than the tolerance gets no ball. It needs one.
        ball_centers, radii = centers[:1], inradii[:1]
    return CollisionShape(ball_centers, radii, triangles)
