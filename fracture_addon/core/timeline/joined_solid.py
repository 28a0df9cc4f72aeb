"""The solid of bonded objects: the cells of all of them, with joints where their surfaces face each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data.arrays import digest
from ..data.errors import SceneError
from ..data.job import Bond
from ..data.material import Material
from ..data.mixture import Mixture
from ..data.settings.settings import ModelSettings
from ..data.solid import SolidModel, cell_edge, cell_volumes
from ..data.surface import Surface
from ..fields.mixtures import mixture_inside
from ..fields.strength import WEAKEST, size_effect, weakest_link
from ..geometry.facing import Facing, contact_area, gap
from ..meshing.joints import Joints, OuterCells, join_cells
from ..methods import table
from ..numerics.random_streams import rng
from .rigid_fragment import Breakable

# Samples of the common area along the edge of a mean cell of the smaller object. Measured: the load at which a joint in
# tension breaks changes by at most 1 % with twice as many, and by 9 % with half as many.
SAMPLES_PER_CELL = 6.0
# Difference of points over the diagonal up to which bonded objects are copies: above the rounding of Blender's float32.
SAME_SHAPE = 1e-6


def same_shape_step(surface: Surface) -> float:
    """Return the distance, m, up to which the points of copies of an object may differ: a power of two."""
    return float(2.0 ** np.floor(np.log2(SAME_SHAPE * surface.diagonal)))


def join_solids(members: Sequence[Breakable], bonds: Mapping[int, tuple[int, int, Bond]]) -> SolidModel:
    """Join the solids of bonded objects.

    Args:
        members: The objects.
        bonds: Rows in ``members`` of the two objects of each bond, and the bond, by its number in the job.

    Raises:
        SceneError: Two bonded objects do not face each other within the distance of their bond.
    """
    solids = [item.solid for item in members]
    cell_starts = np.cumsum([0, *(item.cell_count for item in solids)])
    point_starts = np.cumsum([0, *(len(item.points) for item in solids)])
    points, faces, pairs = [item.points for item in solids], [], []
    for solid, cell_start, point_start in zip(solids, cell_starts, point_starts, strict=False):
        faces.append(solid.faces + point_start)
        pairs.append(solid.face_cells + cell_start)
    cells, padding = (
        [getattr(solid, name) + start for solid, start in zip(solids, point_starts, strict=False)]
        for name in ("cells", "padding_cells")
    )
    mixtures = [
        mixture_inside(item.solid, _material(item), item.body.settings.part(ModelSettings), number)
        for number, item in enumerate(members)
    ]
    start = int(point_starts[-1])
    outer = [OuterCells.of(solid) for solid in solids]
    copies, known = _copies(members), {}
    volumes = [cell_volumes(solid.points, solid.cells) for solid in solids]
    for number, (first, second, bond) in bonds.items():
        sides = members[first], members[second]
        offset, alike = _offset(sides), (copies[first], copies[second])
        place = sides[0].surface.points[0]
        if (key := (*alike, *offset, bond.distance)) not in known:
            known[key] = place, _joints(bond, sides, (outer[first], outer[second]))
        origin, item = known[key]
        item = replace(item, triangles=item.triangles + (place - origin))
        points.append(item.triangles.reshape(-1, 3))
        faces.append(start + np.arange(3 * len(item.pairs)).reshape(-1, 3))
        pairs.append(item.pairs + cell_starts[[first, second]])
        start += 3 * len(item.pairs)
        mixtures.append(_mixture_of_bond(number, bond, sides, (volumes[first], volumes[second]), item))
    arrays = (np.concatenate(item) for item in (points, cells, padding, faces, pairs))
    return SolidModel(*arrays, mixture=Mixture.joined(mixtures))


def _copies(members: Sequence[Breakable]) -> list[int]:
    """Return a number for each object; copies of one object, with the same cells, have the same number."""
    numbers: dict[str, int] = {}
    result = []
    for item in members:
        origin, step = item.surface.points[0], same_shape_step(item.surface)
        shapes = (np.round((points - origin) / step) for points in (item.surface.points, item.solid.points))
        key = digest((*shapes, item.surface.faces, item.solid.cells))
        result.append(numbers.setdefault(key, len(numbers)))
    return result


def _offset(sides: tuple[Breakable, Breakable]) -> tuple[float, ...]:
    """Return the offset of the second object from the first in multiples of what copies may differ by."""
    first, second = (side.surface for side in sides)
    step = min(same_shape_step(first), same_shape_step(second))
    return tuple(np.round((second.points[0] - first.points[0]) / step).tolist())


def _joints(bond: Bond, sides: tuple[Breakable, Breakable], outer: tuple[OuterCells, OuterCells]) -> Joints:
    """Return the joints of a bond between the cells of its two objects, whose outer cells are given."""
    first, second = sides
    small = min(sides, key=lambda side: side.surface.diagonal)
    spacing = float(cell_edge(small.volume / small.solid.cell_count)) / SAMPLES_PER_CELL
    return join_cells(first.solid, second.solid, outer, check_facing(bond, sides, spacing))


def check_facing(bond: Bond, sides: tuple[Breakable, Breakable], spacing: float = np.inf) -> Facing:
    """Return the area over which two joined objects face each other, with samples at most ``spacing`` m apart.

    Raises:
        SceneError: They do not face each other within the distance of their bond.
    """
    first, second = sides
    area = contact_area(first.surface, second.surface, bond.distance, spacing)
    if len(area.areas):
        return area
    apart, names = gap(first.surface, second.surface), f"'{first.body.name}' and '{second.body.name}'"
    if apart > bond.distance:
        raise SceneError(
            f"{names} are joined, but {apart:.3g} m apart, and their joint fills gaps up to {bond.distance:.3g} m; "
            "move them together, raise its Distance, or press Unjoin"
        )
    raise SceneError(
        f"{names} are joined, but no faces of them lie opposite each other within {bond.distance:.3g} m; "
        "move them together, raise its Distance, or press Unjoin"
    )


def _material(member: Breakable) -> Material:
    return table.material_for(member.body.material, member.body.settings)


def _mixture_of_bond(
    number: int,
    bond: Bond,
    sides: tuple[Breakable, Breakable],
    volumes: tuple[np.ndarray, np.ndarray],
    joints: Joints,
) -> Mixture:
    """Return the values of the joints of a bond between two objects, whose cells have ``volumes`` (C,) m3.

    A joint and the cells on its two sides are springs in series: h / E = t / E_bond + a / E_first + b / E_second, with
    the thickness t, the depths a and b of the cells, and their sum h.
    """
    material, count = bond.material, len(joints.pairs)
    thickness = joints.gaps if bond.thickness == 0.0 else np.full(count, bond.thickness)
    lengths = np.column_stack([thickness, joints.depths])
    parts = [material, *(_material(side) for side in sides)]
    whole = lengths.sum(axis=1)
    young, shear = (
        whole / (lengths / [getattr(part, name) for part in parts]).sum(axis=1)
        for name in ("young_modulus", "shear_modulus")
    )
    first, second = (of_cells[joints.pairs[:, row]] for row, of_cells in enumerate(volumes))
    sizes = cell_edge(0.5 * (first + second))
    random = rng(sides[0].body.settings.seed, "joint strength", number)
    scatter = 1.0 + material.strength_variation * random.standard_normal(count)
    strength = material.tensile_strength * np.maximum(
        scatter * weakest_link(sizes, material.strength_variation), WEAKEST
    )
    return Mixture(
        densities=np.zeros(0),
        strengths=strength,
        young_moduli=young,
        shear_moduli=shear,
        compression_factors=np.full(count, material.crushing_strength / material.tensile_strength),
        size_effects=size_effect(material, sizes),
        joints=np.full(count, number, np.int32),
        layers=np.divide(
            [[material.young_modulus, material.shear_modulus]],
            thickness[:, None],
            out=np.full((count, 2), np.inf),
            where=thickness[:, None] > 0.0,
        ),
    )
