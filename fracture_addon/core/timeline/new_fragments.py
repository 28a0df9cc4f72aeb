"""The fragments of one break, before they enter the rigid world: cells, surfaces, masses and motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.arrays import lengths
from ..data.impact import Impact
from ..data.solid import SolidModel
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import matrices, moved
from ..rigid.rigid_properties import RigidProperties, cell_properties
from .dust import dust_of_cells
from .fragment_motion import ImpactLimit, limited_velocities, with_masses
from .fragment_surfaces import Drawn, cut_surfaces, surface_properties
from .pins import assign_anchors
from .rigid_fragment import Breakable, CollisionShape, RigidFragment, fragment_shape


@dataclass
class NewFragments:
    """Fragments of one break; each of the L labels of the break has one.

    Attributes:
        breakable: The body.
        parent: The broken fragment.
        solid: Solid that the cells belong to.
        cells: (N,) rows of the solid's cells of each fragment.
        parts: Surfaces of each fragment.
        properties: Mass properties of each fragment.
        poses: (7,) of the centre of mass of each fragment.
        velocities, angular_velocities: (L, 3) m/s and rad/s, orientation of the world.
        speed_gains: (L,) m/s, change of the velocity of each centre of mass by the impacts.
        anchors: (K, 3) m, pinned points of each fragment, rest space.
        kept: Labels of the fragments that the rigid world moves.
        dropped: Labels of those that it does not: dust.
        cracked: Labels of the fragments with cracks that reinforcement holds together.
        taken: Share of the impulse of the impacts, 0 to 1, that the fragments took, dropped dust included.
        least_gain: m/s, gain in speed below which the fragments of a kinematic parent wait (``activation``).
    """

    breakable: Breakable
    parent: RigidFragment
    solid: SolidModel
    cells: list[np.ndarray]
    parts: list[Drawn]
    properties: list[RigidProperties]
    poses: list[np.ndarray]
    velocities: np.ndarray
    angular_velocities: np.ndarray
    speed_gains: np.ndarray
    anchors: Sequence[np.ndarray]
    kept: list[int]
    dropped: list[int]
    cracked: list[int]
    taken: float
    least_gain: float

    def fragment(self, label: int, parent_row: int, birth_row: int, breakable_from: float) -> RigidFragment:
        """Return a fragment; those of a kinematic parent are kinematic where they are pinned or wait.

        Args:
            label: Its label.
            parent_row: Row of the parent.
            birth_row: Its first frame, from the job's first frame.
            breakable_from: s, time from which it may break.
        """
        pinned = self.parent.kinematic and len(self.anchors[label]) > 0
        waits = self.parent.kinematic and not pinned and bool(self.speed_gains[label] < self.least_gain)
        return RigidFragment(
            body=self.parent.body,
            parent=parent_row,
            depth=self.parent.depth + 1,
            solid=self.solid,
            cells=self.cells[label],
            properties=self.properties[label],
            surfaces=self.parts[label].surfaces,
            owners=self.parts[label].owners,
            poses=np.zeros_like(self.parent.poses),
            birth_row=birth_row,
            kinematic=pinned or waits,
            waits=waits,
            is_frozen=self.parent.is_frozen and (pinned or waits),
            freezes=self.parent.freezes,
            anchors=self.anchors[label],
            breakable_from=breakable_from,
            is_cracked=label in self.cracked,
        )

    def shape(self, label: int, *, has_surface: bool) -> CollisionShape:
        """Build the collision shape of a fragment, with or without a surface that other fragments touch."""
        own = self.cells[label], self.parts[label].surfaces, self.properties[label]
        share, siblings = self.parent.volume / self.breakable.volume, len(self.cells)
        return fragment_shape(self.breakable, self.solid, *own, share, siblings, has_surface=has_surface)

    def dust(self) -> Iterator[tuple[np.ndarray, ...]]:
        """Yield what ``dust_of_cells`` returns for each dust fragment, if the settings let dust fly on."""
        if self.breakable.body.settings.pieces.dust_rule.flies and self.parent.dust_volume > 0.0:
            mass = self.parent.dust_volume * self.breakable.body.material.density
            share = mass / sum(self.properties[label].mass for label in self.dropped)
            for label in self.dropped:
                motion = self.poses[label], self.velocities[label], self.angular_velocities[label]
                yield dust_of_cells(self.solid, self.cells[label], self.properties[label], *motion, share)


def new_fragments(
    breakable: Breakable,
    parent: RigidFragment,
    pose: np.ndarray,
    motion: RigidMotion,
    result: Break,
    impacts: Sequence[Impact] = (),
    limits: Sequence[ImpactLimit] = (),
    least_gain: float = 0.0,
) -> NewFragments:
    """Cut a fragment along the cracks that a method found, and compute the motion of the new fragments.

    Args:
        breakable: The body.
        parent: The broken fragment; its dust volume and its lost volume are set.
        pose: (7,) its pose.
        motion: Its motion before the impact, rest orientation.
        result: Result of the method.
        impacts: Impacts that broke it, rest space.
        limits: Limits of the impacts; empty for no limit.
        least_gain: m/s, gain in speed below which the fragments of a kinematic parent wait (``activation``).
    """
    solid, rows = parent.solid, parent.cells
    if result.solid is not None:
        solid, rows = result.solid, np.arange(result.solid.cell_count)
    parts = cut_surfaces(breakable, parent, result)
    cells_of = [rows[result.fragment_of_cell == label] for label in range(len(result.velocity))]
    density = breakable.body.material.density
    densities = np.full(solid.cell_count, density) if solid.mixture is None else solid.mixture.densities
    of_cells = [cell_properties(solid.points, solid.cells[cells], densities[cells]) for cells in cells_of]
    properties_of = [
        surface_properties(breakable, item.surfaces, item.owners) if item.surfaces else own
        for item, own in zip(parts, of_cells, strict=True)
    ]
    result = with_masses(result, motion, parent.properties.center, of_cells, properties_of)
    velocities, spins = result.velocity.copy(), result.angular_velocity.copy()
    # A cell outside the drawn surface has no drawn fragment, and no mass.
    drawn = [label for label, part in enumerate(parts) if part.surfaces]
    fragments = [properties_of[label] for label in drawn]
    velocities[drawn], spins[drawn], taken = limited_velocities(
        parent.properties, motion, fragments, velocities[drawn], spins[drawn], impacts, limits
    )
    rotation = matrices(pose[3:])
    arms = np.array([item.center for item in properties_of]) - parent.properties.center
    before = motion.velocity + np.cross(motion.angular_velocity, arms)
    return NewFragments(
        breakable=breakable,
        parent=parent,
        solid=solid,
        cells=cells_of,
        parts=parts,
        properties=properties_of,
        poses=[moved(pose, parent.properties.center, item.center)[0] for item in properties_of],
        velocities=velocities @ rotation.T,
        angular_velocities=spins @ rotation.T,
        speed_gains=lengths(velocities - before),
        anchors=assign_anchors(parent.anchors, solid.points, solid.cells[rows], result.fragment_of_cell, len(cells_of)),
        kept=[int(label) for label in np.flatnonzero(result.kept) if parts[label].surfaces],
        dropped=[int(label) for label in np.flatnonzero(~result.kept)],
        cracked=[label for label in range(len(cells_of)) if result.is_cracked(label)],
        taken=taken,
        least_gain=least_gain,
    )
