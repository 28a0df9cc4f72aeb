"""What moves as one: a whole body, or a fragment of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..cutting.cell_complex import CellComplex
from ..cutting.fragments import cut
from ..cutting.regions import nearby
from ..data.errors import about
from ..data.job import Body
from ..data.solid import SolidModel, cell_volumes, extract
from ..data.surface import Surface, joined, volume
from ..meshing.filling.tetrahedralize import CELLS_PER_CUBIC_SPACING
from ..methods.method import Break
from ..rigid import collision_shape
from ..rigid.rigid_properties import RigidProperties
from ..rigid.world import World
from .pins import anchors_of

# Balls that the fragments of a whole body share, by their mass but at least alike, the most of one of them (faces that
# lie on one another touch with all of theirs), and the most of a whole body. Fragments of a fragment share as much of
# them as that was of the whole, but need some to stand on: what touches counts for time and memory.
FRAGMENT_BALLS, MOST_BALLS, WHOLE_BALLS, FEWEST_BALLS = 4000, 800, 2000, 100


@dataclass(frozen=True)
class Balls:
    """The shape that a rigid piece shows to the rigid world: centres (B, 3), rest space, and radii (B,), metres."""

    centers: np.ndarray
    radii: np.ndarray


@dataclass(frozen=True)
class Breakable:
    """An object of the job, ready to be struck.

    Attributes:
        body: As the job has it.
        surface: Closed; the body's own, or what the repair made of it.
        solid: Cells that fill it.
        model: The method's, of the whole solid.
        repair: What the repair did, JSON-able.
        complex: Of the solid, as an earlier run may have left it; ``None`` where nothing is cut.
    """

    body: Body
    surface: Surface
    solid: SolidModel
    model: object
    repair: Mapping[str, object]
    complex: CellComplex | None = None

    @cached_property
    def volume(self) -> float:
        """Of its cells, m3."""
        return float(cell_volumes(self.solid.points, self.solid.cells).sum())

    @cached_property
    def anchors(self) -> np.ndarray:
        """(K, 3) m, rest space: where it is pinned."""
        return anchors_of(self.body.settings.pinned, self.solid)


@dataclass
class Piece:
    """A rigid piece of a body, from its birth to its death.

    Attributes:
        body: Row of the job's bodies.
        parent: Row of the pieces that it broke off, -1 for a whole body.
        depth: 0 for a whole body, 1 for a fragment of it, and so on.
        solid: It is made of some cells of this: the body's solid, or what a method made of that as it cracked.
        cells: (N,) rows of the solid's cells, ascending.
        properties: Mass, centre of mass in rest space, inertia.
        surfaces: What is drawn of it, closed, in rest space: one, or several parts.
        key: In the rigid world; -1 when it is there no more.
        poses: (T, 7), one a frame.
        birth_row, death_row: Frames from the first one, death -1 for never.
        held: It moves along the body's track.
        anchors: (K, 3) m, rest space, what it keeps of the places at which the body is pinned.
        ready: s, until then it does not break: the blow that made it is still going on.
        model: The method's, built when first needed.
        smallest_critical: N, the least load so far that would have broken it.
        check_count: How many such loads are known.
        lost_volume: m3, by how much the volumes of its parts differ from its own.
        crumbled_volume: m3 that the cut left of the cells that are dust.
        dust_count: Fragments of it of which the surface left so little that they were merged, or parts dropped.
    """

    body: int
    parent: int
    depth: int
    solid: SolidModel
    cells: np.ndarray
    properties: RigidProperties
    surfaces: Sequence[Surface]
    key: int
    poses: np.ndarray
    birth_row: int = 0
    death_row: int = -1
    held: bool = False
    anchors: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    ready: float = 0.0
    model: object = None
    smallest_critical: float = np.inf
    check_count: int = 0
    lost_volume: float = 0.0
    crumbled_volume: float = 0.0
    dust_count: int = 0

    @cached_property
    def volume(self) -> float:
        """Of its cells, m3."""
        return float(cell_volumes(self.solid.points, self.solid.cells[self.cells]).sum())

    @cached_property
    def cell_size(self) -> float:
        """Spacing of the points that would give cells of this mean volume, metres."""
        return float(np.cbrt(CELLS_PER_CUBIC_SPACING * self.volume / len(self.cells)))

    @property
    def own_solid(self) -> SolidModel:
        """Its cells, as a solid of their own."""
        return self.solid if len(self.cells) == self.solid.cell_count else extract(self.solid, self.cells)


# A fragment of fewer cells cannot break again: what is inside it is not resolved.
FEWEST_CELLS = 40


def can_break(breakable: Breakable, depth: int, cell_count: int) -> bool:
    """Whether a piece may break at all, now or later: a whole body, or a large fragment of few generations."""
    return depth == 0 or (depth < breakable.body.settings.break_depth and cell_count >= FEWEST_CELLS)


def cut_piece(breakable: Breakable, piece: Piece, result: Break) -> list[list[Surface]]:
    """What is drawn of the fragments of a piece; notes the volumes that the cut lost and left as dust.

    Args:
        breakable: The body.
        piece: The piece.
        result: What became of it.

    Returns:
        Surfaces of each fragment, none for those that are not kept or are dust once they are cut.
    """
    kept, settings = result.kept, breakable.body.settings
    surfaces: list[list[Surface]] = [[] for _ in kept]
    whole = joined(piece.surfaces)
    # Cells of dropped dust share one label of their own, so that the volumes can be added up.
    labels = np.where(kept[result.fragment_of_cell], result.fragment_of_cell, len(kept))
    solid = result.solid or piece.own_solid
    near = nearby(solid, whole.points) if piece.depth else solid
    known = breakable.complex if near is breakable.solid else None
    with about(breakable.body.name):
        parts = cut(whole, near, labels, settings, result.origin, known)
    volumes = [volume(part.surface) for part in parts]
    least = settings.dust_volume * volume(whole) if settings.dust == "drop" and len(kept) > 1 else 0.0
    for part, amount in zip(parts, volumes, strict=True):
        if part.label == len(kept):
            piece.crumbled_volume += amount
        elif amount >= least:
            surfaces[part.label].append(part.surface)
        else:
            piece.dust_count += 1
    if settings.dust == "merge":
        piece.dust_count = sum(not drawn for drawn in surfaces)
    piece.lost_volume = abs(volume(whole) - sum(volumes))
    return surfaces


def whole_balls(surface: Surface, solid: SolidModel) -> Balls:
    """The shape of a whole body.

    Args:
        surface: Its own.
        solid: Its cells.
    """
    return _balls([surface], solid, np.arange(solid.cell_count), WHOLE_BALLS, surface.diagonal)


def balls_of(
    breakable: Breakable,
    solid: SolidModel,
    cells: np.ndarray,
    surfaces: Sequence[Surface],
    properties: RigidProperties,
    parent_share: float,
    siblings: int,
) -> Balls:
    """The shape of a fragment.

    Args:
        breakable: The body.
        solid: Its cells, or what a method made of them as they cracked.
        cells: (N,) rows of the solid's cells.
        surfaces: What is drawn of them.
        properties: Of those cells.
        parent_share: What broke had of the whole body's volume.
        siblings: How many fragments came of the same break.
    """
    share = properties.mass / (breakable.body.material.density * breakable.volume)
    together = max(int(FRAGMENT_BALLS * parent_share), min(FEWEST_BALLS * siblings, FRAGMENT_BALLS))
    most = min(MOST_BALLS, max(together // siblings, int(FRAGMENT_BALLS * share)))
    return _balls(surfaces, solid, cells, most, breakable.surface.diagonal)


def _balls(surfaces: Sequence[Surface], solid: SolidModel, cells: np.ndarray, most: int, size: float) -> Balls:
    around, outer = collision_shape.boundary(solid.points, solid.cells[cells])
    middles, inradii = collision_shape.inspheres(solid.points, solid.cells[cells[outer]])
    surface = joined(surfaces) if surfaces else around
    centers, radii = collision_shape.balls(surface, middles, around.points, most, size)
    # Drawn thinner than the tolerance: something has to be there.
    return Balls(centers, radii) if len(radii) else Balls(middles[:1], inradii[:1])


def add_to_world(
    world: World,
    breakable: Breakable,
    balls: Balls,
    properties: RigidProperties,
    pose: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    *,
    held: bool = False,
    breakable_again: bool = True,
    whole: bool = True,
) -> int:
    """Put cells of a body into the rigid world as one rigid piece.

    Args:
        world: Where to.
        breakable: The body.
        balls: Its shape.
        properties: Of the cells.
        pose: (7,) of their centre of mass.
        velocity: (3,) m/s of the centre of mass.
        angular_velocity: (3,) rad/s.
        held: It moves as told.
        breakable_again: It may break, so that its contacts matter.
        whole: It is no fragment.

    Returns:
        Its key.
    """
    material = breakable.body.material
    return world.add_balls(
        properties,
        balls.centers,
        balls.radii,
        pose,
        velocity,
        angular_velocity,
        friction=material.friction,
        restitution=material.restitution,
        kinematic=held,
        far_sighted=whole,
        reported=breakable_again,
    )
