"""Dents of ductile bodies: the shape that an impact leaves in a body that it does not break.

An impact flattens the surface at the contact, or bends the body. The two are springs in series: that which flows at the
smaller force takes nearly all of the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.impact import Impact
from ..data.material import Material
from ..data.solid import SolidModel
from ..data.surface import Surface, joined, volume
from ..geometry.embedding import embed
from ..geometry.surface_attributes import with_fragment_attributes
from .fragment_surfaces import surface_properties
from .rigid_fragment import Breakable, RigidFragment

# Pressure of a fully plastic contact over the flow stress at a representative strain (Tabor 1951, The Hardness of
# Metals).
HARDNESS_FACTOR, REPRESENTATIVE_STRAIN = 3.0, 0.08
# Shallowest and deepest dent, over the diagonal of the whole body. A shallower one is not seen; the equations of a
# deeper one do not hold.
SHALLOWEST, DEEPEST = 1e-3, 0.05
# Radius around the contact in which its surface may be flattened, over the diagonal of the whole body. It keeps other
# parts of the body that reach as far from being flattened.
RADIUS = 0.25
# Bisections of the depth; share of the depth over which the last force is averaged.
BISECTIONS, LAST = 30, 0.05


@dataclass(frozen=True)
class Dent(ReadOnlyArrays):
    """Shape of a fragment after a dent.

    Attributes:
        surfaces: Its surfaces.
        solid: The solid of its cells.
        depth: Greatest displacement of a point of a surface, m.
    """

    surfaces: Sequence[Surface]
    solid: SolidModel
    depth: float


def hardness(material: Material) -> float:
    """Return the mean pressure of a fully plastic contact, Pa."""
    return HARDNESS_FACTOR * (material.yield_strength + REPRESENTATIVE_STRAIN * material.hardening)


def energy_of(impact: Impact) -> float:
    """Return the kinetic energy that an impact can turn into plastic work, J; 0 for an impact without a speed."""
    return 0.5 * impact.impulse * impact.speed * impact.load_factor**2


def flattened(fragment: RigidFragment, impact: Impact, pressure: float, diagonal: float) -> tuple[Dent, float]:
    """Flatten the surface at a contact until the displaced volume times the pressure is the energy of the impact.

    The other body does not deform: it is a plane, or a ball with the radius of the impact.

    Args:
        fragment: The fragment.
        impact: The impact, rest space.
        pressure: From ``hardness``, Pa.
        diagonal: Of the whole body, m.

    Returns:
        The dent, and the greatest force of the contact, N.
    """
    surface = joined(fragment.surfaces)
    arms = surface.points - impact.point
    height = arms @ impact.direction
    aside = (arms**2).sum(axis=1) - height**2
    near = aside + height**2 < (RADIUS * diagonal) ** 2
    if not near.any():
        return Dent(fragment.surfaces, fragment.solid, 0.0), 0.0
    above = height - height[near].min()
    if impact.impactor_radius > 0.0:
        above = above + aside / (2.0 * impact.impactor_radius)

    def moved(depth: float) -> np.ndarray:
        raised = np.where(near, np.maximum(depth - above, 0.0), 0.0)
        return surface.points + raised[:, None] * impact.direction

    whole, wanted = volume(surface), energy_of(impact) / pressure

    def displaced(depth: float) -> float:
        return whole - volume(replace(surface, points=moved(depth)))

    low, high = 0.0, DEEPEST * diagonal
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if displaced(middle) < wanted else (low, middle)
    force = pressure * (wanted - displaced((1.0 - LAST) * low)) / (LAST * low) if low > 0.0 else 0.0
    return Dent(_with_points(fragment.surfaces, moved(low)), fragment.solid, low), force


def bent(fragment: RigidFragment, displacement: np.ndarray, most: float) -> Dent:
    """Return the dent of a fragment whose solid's points move.

    Args:
        fragment: The fragment.
        displacement: (P, 3) m, of the points of its solid; 0 for those of no cell.
        most: Depth beyond which the displacement is scaled down, m.
    """
    solid, cells = fragment.solid, fragment.solid.cells[fragment.cells]
    # Points of the padding move with the nearest point of a cell.
    used = np.unique(cells)
    moves = displacement[used[cKDTree(solid.points[used]).query(solid.points)[1]]]
    moves = moves * min(1.0, most / max(float(lengths(moves).max()), most))
    surface = joined(fragment.surfaces)
    embedding, _ = embed(surface.points, solid.points, cells)
    # A point outside of its cell moves with the nearest point in it: thin cells exaggerate.
    weights = np.maximum(embedding.weights, 0.0)
    moved = np.einsum("pc,pci->pi", weights / weights.sum(axis=1, keepdims=True), moves[embedding.corners])
    surfaces = _with_points(fragment.surfaces, surface.points + moved)
    return Dent(surfaces, replace(solid, points=solid.points + moves), float(lengths(moved).max()))


def dented(
    breakable: Breakable, parent: RigidFragment, parent_row: int, dent: Dent, birth_row: int, breakable_from: float
) -> RigidFragment:
    """Return the fragment that replaces a dented one.

    Args:
        breakable: The body.
        parent: The fragment before the dent.
        parent_row: Its row.
        dent: Its new shape.
        birth_row: First frame of the new fragment, from the job's first frame.
        breakable_from: s, time from which it may break.
    """
    return RigidFragment(
        body=parent.body,
        parent=parent_row,
        depth=parent.depth + 1,
        solid=dent.solid,
        cells=parent.cells,
        properties=surface_properties(breakable, dent.surfaces, parent.owners),
        surfaces=dent.surfaces,
        owners=parent.owners,
        poses=np.zeros_like(parent.poses),
        birth_row=birth_row,
        kinematic=parent.kinematic,
        waits=parent.waits,
        is_frozen=parent.is_frozen,
        freezes=parent.freezes,
        anchors=parent.anchors,
        breakable_from=breakable_from,
    )


def _with_points(surfaces: Sequence[Surface], points: np.ndarray) -> list[Surface]:
    """Return surfaces with other points, which are (P, 3) m of all surfaces; shading normals turn with them."""
    ends = np.cumsum([len(surface.points) for surface in surfaces])[:-1]
    return [_moved(surface, own) for surface, own in zip(surfaces, np.split(points, ends), strict=True)]


def _moved(surface: Surface, points: np.ndarray) -> Surface:
    attributes = dict(with_fragment_attributes(surface).corner_attributes)
    if "normal" in attributes:
        before, after = _point_normals(surface.points, surface.faces), _point_normals(points, surface.faces)
        attributes["normal"] = _turned(np.asarray(attributes["normal"]), before[surface.faces], after[surface.faces])
    return Surface(points, surface.faces, surface.face_source, surface.face_attributes, attributes)


def _point_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return unit normals (P, 3) of points, means over the faces around them, weighted by area."""
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).repeat(3, axis=0)
    sums = np.stack([np.bincount(faces.ravel(), column, len(points)) for column in normals.T], axis=1)
    return sums / np.maximum(lengths(sums), np.finfo(float).tiny)[:, None]


def _turned(vectors: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Rotate vectors by the shortest rotation from one unit vector to another; all are (..., 3).

    The rotation of v is v + w x v + w x (w x v) / (1 + c), with w = before x after and the cosine c of the angle.
    """
    axis = np.cross(before, after)
    cosine = (before * after).sum(axis=-1, keepdims=True)
    once = np.cross(axis, vectors)
    return vectors + once + np.cross(axis, once) / np.maximum(1.0 + cosine, 1e-6)
