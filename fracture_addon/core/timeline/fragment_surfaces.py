"""Surfaces of rigid fragments: each object's surface is cut into those of the new fragments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..cutting.cell_complex import CellComplex
from ..cutting.fragment_regions import nearby
from ..cutting.fragments import cut
from ..data.cut_part import CutPart
from ..data.errors import about
from ..data.solid import SolidModel, compacted, extract, from_cells
from ..data.surface import Surface, joined, volume
from ..geometry.surface_attributes import with_fragment_attributes
from ..methods.method import Break
from ..numerics.components import components
from ..rigid.rigid_properties import RigidProperties, combined, drawn_properties
from .rigid_fragment import Breakable, RigidFragment

# Number of the object of padding that no cell is connected with.
NO_OBJECT = -1


@dataclass
class Drawn:
    """Surfaces that are drawn for a fragment.

    Attributes:
        surfaces: Closed surfaces in rest space; none for dust.
        owners: Row of ``Breakable.objects`` for each surface.
    """

    surfaces: list[Surface] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)


def cut_surfaces(breakable: Breakable, fragment: RigidFragment, result: Break) -> list[Drawn]:
    """Cut the surface of a fragment into those of its fragments, and set its lost volume and its dust.

    Args:
        breakable: The body.
        fragment: The fragment that broke.
        result: Result of the method.

    Returns:
        Surfaces of each new fragment. A fragment has none if it is not kept, or if the cut leaves it as small as dust.
    """
    kept, settings = result.kept, breakable.body.settings
    drawn = [Drawn() for _ in kept]
    # All dropped dust has one extra label, so that its volume is summed.
    rigid = np.where(kept[result.fragment_of_cell], result.fragment_of_cell, len(kept))
    labels, label_fragments = rigid, np.arange(len(kept) + 1)
    if result.part_of_cell is not None:
        # Reinforcement holds parts together: each is drawn, and they move as one fragment.
        (label_fragments, _), labels = np.unique([rigid, result.part_of_cell], axis=1, return_inverse=True)
        labels = labels.reshape(-1)
    whole = sum(volume(surface) for surface in fragment.surfaces)
    least = settings.pieces.dust_volume * whole if settings.pieces.dust_rule.drops and len(kept) > 1 else 0.0
    total = 0.0
    for owner, part in _parts(breakable, fragment, result, labels):
        part_volume, label = volume(part.surface), int(label_fragments[part.label])
        total += part_volume
        if label == len(kept):
            fragment.dust_volume += part_volume
        elif part_volume >= least:
            drawn[label].surfaces.append(part.surface)
            drawn[label].owners.append(owner)
        else:
            fragment.dust_count += 1
            fragment.dust_volume += part_volume
    if settings.pieces.dust_rule.merges:
        fragment.dust_count = sum(not item.surfaces for item in drawn)
    fragment.lost_volume = abs(whole - total)
    return drawn


def _parts(
    breakable: Breakable, fragment: RigidFragment, result: Break, labels: np.ndarray
) -> Iterator[tuple[int, CutPart]]:
    """Yield the parts of each object of a body, with the object's row."""
    if not breakable.members:
        solid = result.solid or fragment.own_solid
        yield from ((0, part) for part in _cut(breakable, fragment, fragment.surfaces, solid, labels, result.origin))
        return
    for owner, (member, (solid, own)) in enumerate(
        zip(breakable.members, _solids(breakable, fragment, result, labels), strict=True)
    ):
        surfaces = [item for item, row in zip(fragment.surfaces, fragment.owners, strict=True) if row == owner]
        if not len(own) or not surfaces:
            continue
        if (own == own[0]).all():
            parts = [CutPart(int(own[0]), with_fragment_attributes(item), item.face_source < 0) for item in surfaces]
        else:
            parts = _cut(member, fragment, surfaces, solid, own, result.origin)
        yield from ((owner, part) for part in parts)


def _solids(
    breakable: Breakable, fragment: RigidFragment, result: Break, labels: np.ndarray
) -> Iterator[tuple[SolidModel, np.ndarray]]:
    """Yield the cells of each object in a fragment of a bonded body, and the labels (C,) of its cells."""
    if result.solid is not None:
        yield from ((solid, labels[rows]) for solid, rows in separated(result.solid, len(breakable.members)))
        return
    start = 0
    for member in breakable.members:
        end = start + member.solid.cell_count
        first, last = np.searchsorted(fragment.cells, [start, end])
        cells = fragment.cells[first:last] - start
        whole = len(cells) == member.solid.cell_count
        yield (member.solid if whole else extract(member.solid, cells)), labels[first:last]
        start = end


def separated(solid: SolidModel, count: int) -> list[tuple[SolidModel, np.ndarray]]:
    """Return the solid of each of the ``count`` objects of a joined solid, and the rows (C,) of its cells.

    Objects share no points, so that the padding of each is what its cells are connected with.
    """
    assert solid.mixture is not None
    connected = components(np.concatenate([solid.cells, solid.padding_cells]), len(solid.points))
    part = solid.mixture.part_of_cell
    of_component = np.full(int(connected.max()) + 1, NO_OBJECT)
    of_component[connected[solid.cells[:, 0]]] = part
    padding = of_component[connected[solid.padding_cells[:, 0]]]
    result = []
    for number in range(count):
        rows, mine = np.flatnonzero(part == number), padding == number
        result.append((compacted(from_cells(solid.points, solid.cells[rows], solid.padding_cells[mine])), rows))
    return result


def _cut(
    breakable: Breakable,
    fragment: RigidFragment,
    surfaces: Sequence[Surface],
    solid: SolidModel,
    labels: np.ndarray,
    origin: np.ndarray | None,
) -> list[CutPart]:
    whole = joined(surfaces)
    near = nearby(solid, whole.points) if fragment.depth else solid
    known: CellComplex | None = breakable.complex if near is breakable.solid else None
    with about(breakable.body.name):
        return cut(whole, near, labels, breakable.body.settings, origin, known)


def surface_properties(breakable: Breakable, surfaces: Sequence[Surface], owners: Sequence[int]) -> RigidProperties:
    """Return the mass properties inside surfaces of a body's objects; at least one surface.

    Args:
        breakable: The body.
        surfaces: Closed surfaces, rest space.
        owners: Row of ``Breakable.objects`` for each surface.
    """
    objects = breakable.objects
    return combined(
        [
            drawn_properties(
                [item for item, owner in zip(surfaces, owners, strict=True) if owner == row],
                objects[row].body.material.density,
            )
            for row in sorted(set(owners))
        ]
    )
