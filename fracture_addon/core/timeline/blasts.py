"""Blasts as simultaneous impacts on the faces that they reach (docs/decisions/blasts.md).

A face is reached if nothing stands between it and the charge. Pressure that passes around edges to the back of a body
is left out. The pulse on a patch of faces counts as a triangle of the same peak and the same impulse. A body responds
to the peak of a long pulse, and to the impulse of a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.blast import Blast
from ..data.impact import Impact
from ..data.job import Collider
from ..data.solid import SolidModel, cell_centers
from ..data.surface import Surface, area_vectors, joined
from ..fields.blast_pressure import on_surface
from ..geometry.rays import RayGrid
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import length, matrices
from ..rigid import collision_shape
from ..rigid.contacts import PATCH_CELLS
from ..rigid.rigid_properties import cell_properties
from .rigid_fragment import RigidFragment
from .rigid_scene import RigidScene

# Most patches of one body. The load of a pane over its critical load is 9.0, 8.2, 8.1, 8.3 and 8.3 with 6, 12, 24, 48
# and 96; counts of fragments scatter (docs/decisions/blasts.md).
MOST_PATCHES = 24
# Rounds of Lloyd's method that even out the patches. With 2 and 16 the load of the pane is 8.2 and 8.0.
ROUNDS = 4
# Distance over the scene's size at which a ray starts before its face, so that it does not meet that face. A pane and a
# cup break into the same fragments at 1e-8; at 1e-4 the cup loses one.
OFFSET = 1e-6


@dataclass(frozen=True)
class BlastLoad(ReadOnlyArrays):
    """Load of a blast on one fragment, in the rest space of the fragment.

    Attributes:
        impacts: The load as simultaneous impacts on a few patches.
        points: (F, 3) m, faces that the blast reaches.
        impulses: (F, 3) N s, impulses on them.
    """

    impacts: tuple[Impact, ...]
    points: np.ndarray
    impulses: np.ndarray


def blast_loads(scene: RigidScene, colliders: Sequence[Collider], blast: Blast) -> dict[int, BlastLoad]:
    """Return the load of a blast on each living fragment that it reaches, by row.

    Args:
        scene: State on the frame of the blast.
        colliders: Unbreakable objects of the job. They shield the faces behind them.
        blast: The blast.
    """
    living = {row: item for row, item in enumerate(scene.fragments) if item.key >= 0}
    own = {
        row: collision_shape.boundary(item.solid.points, item.solid.cells[item.cells])[0]
        for row, item in living.items()
    }
    poses = {row: scene.world.pose(item.key) for row, item in living.items()}
    placed = {row: _placed(own[row], poses[row], item.properties.center) for row, item in living.items()}
    obstacles = [_placed(item.surface, *scene.collider_pose(row)) for row, item in enumerate(colliders)]
    everything = joined([*placed.values(), *obstacles])
    grid, start = RayGrid.of(everything), OFFSET * everything.diagonal
    found = {}
    for row, item in living.items():
        pressed = _pressed_faces(placed[row], blast, grid, start)
        if pressed is not None:
            rotation = matrices(poses[row][3:])
            points = (pressed.centers - poses[row][:3]) @ rotation + item.properties.center
            pressed = _Pressed(points, pressed.areas, pressed.forces @ rotation, pressed.impulses @ rotation)
            impacts = _patches(pressed, item, scene.violence(row))
            found[row] = BlastLoad(tuple(impacts), pressed.centers, pressed.impulses)
    return found


def thrown(result: Break, solid: SolidModel, density: float, motion: RigidMotion, load: BlastLoad) -> Break:
    """Return the result with the momentum and angular momentum that a blast gives to the faces of each fragment.

    A pressure wave continues to push a wall after the wall breaks. The load of an impact ends with its contact.

    Args:
        result: Result of the method, broken or not.
        solid: Solid of the fragment that was hit, for a result without its own.
        density: kg/m3, without a mixture of materials.
        motion: Motion of the fragment before the blast, rest orientation.
        load: The blast.
    """
    solid = result.solid or solid
    densities = np.full(solid.cell_count, density) if solid.mixture is None else solid.mixture.densities
    centers = cell_centers(solid.points, solid.cells)
    middle = cell_properties(solid.points, solid.cells, densities).center
    labels = result.fragment_of_cell[cKDTree(centers).query(load.points)[1]]
    velocity, spin = np.empty_like(result.velocity), np.empty_like(result.angular_velocity)
    for label in range(len(velocity)):
        cells, faces = result.fragment_of_cell == label, labels == label
        own = cell_properties(solid.points, solid.cells[cells], densities[cells])
        impulses, arms = load.impulses[faces], load.points[faces] - own.center
        velocity[label] = motion.velocity + np.cross(motion.angular_velocity, own.center - middle)
        velocity[label] += impulses.sum(axis=0) / own.mass
        spin[label] = motion.angular_velocity + own.inverse_inertia @ np.cross(arms, impulses).sum(axis=0)
    return replace(result, velocity=velocity, angular_velocity=spin)


@dataclass(frozen=True)
class _Pressed(ReadOnlyArrays):
    """Faces that a blast reaches: centres (F, 3) m, areas (F,) m2, peak forces (F, 3) N and impulses (F, 3) N s."""

    centers: np.ndarray
    areas: np.ndarray
    forces: np.ndarray
    impulses: np.ndarray


def _pressed_faces(surface: Surface, blast: Blast, grid: RayGrid, start: float) -> _Pressed | None:
    centers, vectors = surface.corners.mean(axis=1), area_vectors(surface)
    areas, ways = lengths(vectors), centers - blast.point
    distances = lengths(ways)
    facing = np.flatnonzero((areas > 0.0) & (distances > start))
    directions = ways[facing] / distances[facing, None]
    normals = vectors[facing] / areas[facing, None]
    cosines = -np.einsum("fi,fi->f", directions, normals)
    seen = cosines > 0.0
    facing, directions, normals, cosines = facing[seen], directions[seen], normals[seen], cosines[seen]
    origins, reach = centers[facing] + start * normals, distances[facing] - start
    free = np.isinf(grid.enters(origins, -directions, reach)[0]) & np.isinf(grid.leaves(origins, -directions, reach)[0])
    if not free.any():
        return None
    facing, normals = facing[free], normals[free]
    pressure, impulse = on_surface(blast.charge, distances[facing], cosines[free])
    inward = -areas[facing, None] * normals
    return _Pressed(centers[facing], areas[facing], pressure[:, None] * inward, impulse[:, None] * inward)


def _patches(pressed: _Pressed, fragment: RigidFragment, violence: float) -> list[Impact]:
    """Return an impact for each of a few patches of faces, in rest space."""
    radius = PATCH_CELLS * fragment.cell_size
    count = int(np.clip(pressed.areas.sum() / (np.pi * radius**2), 1, MOST_PATCHES))
    patch = _patch_of_points(pressed.centers, min(count, len(pressed.centers)))
    weights = lengths(pressed.impulses)
    # In a closed body most impulses cancel, but each part of the wall gets its own.
    speed = float(weights.sum() / fragment.properties.mass)
    impacts = []
    for row in range(int(patch.max()) + 1):
        faces = patch == row
        force, impulse = pressed.forces[faces].sum(axis=0), pressed.impulses[faces].sum(axis=0)
        size, peak = length(impulse), length(force)
        if not size > 0.0:
            continue
        point = weights[faces] @ pressed.centers[faces] / weights[faces].sum()
        impacts.append(
            Impact(
                point,
                impulse,
                size,
                2.0 * size / peak,
                max(float(np.sqrt(pressed.areas[faces].sum() / np.pi)), radius),
                speed,
                load_factor=violence,
            )
        )
    return impacts


def _patch_of_points(points: np.ndarray, count: int) -> np.ndarray:
    """Return the patch (N,) of each point: ``count`` patches of about the same size."""
    centers = points[[int(np.argmax(lengths(points - points.mean(axis=0))))]]
    while len(centers) < count:
        centers = np.vstack([centers, points[np.argmax(cKDTree(centers).query(points)[0])]])
    return np.unique(kmeans2(points, centers, ROUNDS, minit="matrix")[1], return_inverse=True)[1]


def _placed(surface: Surface, pose: np.ndarray, center: np.ndarray) -> Surface:
    """Return points and faces of a surface in the world, at a pose (7,) of its point ``center`` (3,)."""
    return Surface((surface.points - center) @ matrices(pose[3:]).T + pose[:3], surface.faces)
