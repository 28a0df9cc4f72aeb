"""Blasts as simultaneous impacts on the faces that they reach (docs/decisions/blasts.md).

A face is reached if nothing stands between it and the charge. Pressure that passes around edges to the back of a body
is left out. The pulse on a patch of faces counts as a triangular pulse of the same peak and the same impulse. A body
responds to the peak of a long pulse, and to the impulse of a short one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.arrays import lengths
from ..data.impact import Impact
from ..data.job import Collider
from ..data.surface import Surface, joined
from ..fields.blast_pressure import on_surface
from ..geometry.rays import RayGrid
from ..geometry.visibility import SeenFaces, seen_faces
from ..numerics.rotations import length, matrices
from ..rigid import collision_shape
from ..rigid.contacts import PATCH_CELLS
from .face_loads import FaceLoad, patches
from .rigid_fragment import RigidFragment
from .rigid_scene import RigidScene


def faces_in_sight(scene: RigidScene, colliders: Sequence[Collider], point: np.ndarray) -> dict[int, SeenFaces]:
    """Return the faces of each living fragment that are visible from a point, in the world, by the fragment's row.

    Args:
        scene: State on the frame.
        colliders: Unbreakable objects of the job. They shield the faces behind them.
        point: (3,) m.

    Returns:
        The faces of the fragments that have any.
    """
    living = {row: item for row, item in enumerate(scene.fragments) if item.key >= 0}
    placed = {}
    for row, item in living.items():
        own = collision_shape.boundary(item.solid.points, item.solid.cells[item.cells])[0]
        placed[row] = _placed(own, scene.world.pose(item.key), item.properties.center)
    obstacles = [_placed(item.surface, *scene.collider_pose(row)) for row, item in enumerate(colliders)]
    everything = joined([*placed.values(), *obstacles])
    grid, size = RayGrid.of(everything), everything.diagonal
    found = {row: seen_faces(surface, point, grid, size) for row, surface in placed.items()}
    return {row: faces for row, faces in found.items() if len(faces.areas)}


def blast_loads(scene: RigidScene, in_sight: dict[int, SeenFaces], charge: float) -> dict[int, FaceLoad]:
    """Return the load of a blast on each living fragment that it reaches, by row.

    Args:
        scene: State on the frame of the blast.
        in_sight: From ``faces_in_sight``.
        charge: kg of TNT.

    Returns:
        Impulses, N s, on the faces, and the same load as impacts on patches of them.

    Notes:
        Kinney and Graham 1985, Explosive Shocks in Air. Own: a triangle of the same peak and impulse
        (docs/decisions/blasts.md).

    Example:
        1 kg explodes 5 m below a face of 0.5 m2.

        >>> from ..data.job import Body, Job
        >>> from ..data.material import PORCELAIN
        >>> from ..data.settings.settings import Settings
        >>> from ..data.solid import from_cells
        >>> from ..methods.method import UNPREPARED
        >>> from .rigid_fragment import Breakable
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> body = Body("block", surface, PORCELAIN, Settings())
        >>> item = Breakable(body, surface, from_cells(corners, [[0, 1, 2, 3]], []), UNPREPARED, {})
        >>> scene = RigidScene(Job((body,)), [item])
        >>> load = blast_loads(scene, faces_in_sight(scene, [], np.array([0.3, 0.3, -5.0])), charge=1.0)[0]
        >>> _, impulse = on_surface(1.0, np.array([5.0]), np.ones(1))
        >>> (load.impulses.sum(axis=0) / (0.5 * impulse)).round(2).tolist()
        [0.0, 0.0, 1.0]
    """
    found = {}
    for row, faces in in_sight.items():
        item = scene.fragments[row]
        pose = scene.world.pose(item.key)
        rotation = matrices(pose[3:])
        points = (faces.centers - pose[:3]) @ rotation + item.properties.center
        pressure, impulse = on_surface(charge, faces.distances, faces.cosines)
        inward = -faces.areas[:, None] * (faces.normals @ rotation)
        loads = pressure[:, None] * inward, impulse[:, None] * inward
        impacts = _patches(points, faces.areas, *loads, item, scene.violence(row))
        found[row] = FaceLoad(tuple(impacts), points, loads[1])
    return found


def _patches(
    points: np.ndarray,
    areas: np.ndarray,
    forces: np.ndarray,
    impulses: np.ndarray,
    fragment: RigidFragment,
    violence: float,
) -> list[Impact]:
    """Return an impact for each of a few patches of faces.

    Args:
        points: (F, 3) m, centres of the faces, rest space.
        areas: (F,) m2.
        forces: (F, 3) N, peak forces.
        impulses: (F, 3) N s.
        fragment: The fragment.
        violence: Load factor of the impacts.
    """
    radius = PATCH_CELLS * fragment.cell_size
    # In a closed body most impulses cancel, but each part of the wall gets its own.
    speed = float(lengths(impulses).sum() / fragment.properties.mass)
    impacts = []
    for faces, middle, wide in patches(points, areas, impulses, radius):
        force, impulse = forces[faces].sum(axis=0), impulses[faces].sum(axis=0)
        size = length(impulse)
        duration = 2.0 * size / length(force)
        impacts.append(Impact(middle, impulse, size, duration, max(wide, radius), speed, load_factor=violence))
    return impacts


def _placed(surface: Surface, pose: np.ndarray, center: np.ndarray) -> Surface:
    """Return points and faces of a surface in the world, at a pose (7,) of its point ``center`` (3,)."""
    return Surface((surface.points - center) @ matrices(pose[3:]).T + pose[:3], surface.faces)
