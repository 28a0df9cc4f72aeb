"""New surfaces where the old one cannot be mended: holes capped, shells united, or the whole meshed anew."""

from __future__ import annotations

import contextlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import manifold3d
import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType

from ...data.solid import CELL_FACES, appears_once, oriented
from ...data.surface import Surface
from ...geometry import shells
from ...geometry.intersections import crossing_faces
from ...storage import folders

# fTetWild: how far the new surface may leave the old one over the diagonal, wanted edge over the diagonal, rounds.
ENVELOPE, EDGE_LENGTH, ROUNDS = 1e-3, 0.05, 5
# It stops at cells of this energy: only their boundary is wanted, so that they need not be good (3 is regular).
ENERGY = 300.0
# How far the rims of a hollow end may be out of one plane, over the outer one's width, and the most loops that are
# compared with one another.
RIM_HEIGHT, MOST_RIMS = 0.1, 400
# The rims of a hollow end run opposite ways: the product of their unit normals is below minus this.
OPPOSITE = 0.9
# Above this many faces, or faces that cross, it takes minutes.
MOST_FACES, MOST_CROSSING = 20_000, 500


def capped(surface: Surface, together: bool) -> np.ndarray | None:
    """Faces that close every hole without a new point, or ``None`` where the open edges do not form plain loops.

    Args:
        surface: Wound alike on both sides of every edge.
        together: Nested loops are the rims of one cap (the outside and the inside of a hollow body); else each loop
            has a cap of its own.

    Returns:
        (C, 3) rows of ``surface.points``.
    """
    loops = boundary_loops(surface)
    if loops is None:
        return None
    groups = _rims(surface, loops) if together and len(loops) <= MOST_RIMS else [[loop] for loop in loops]
    caps = []
    for group in groups:
        rows = np.concatenate(group)
        frame = _plane_frame(_loop_normal(surface.points[group[0]]))
        polygons = [np.ascontiguousarray((surface.points[loop] - surface.points[rows[0]]) @ frame) for loop in group]
        triangles = np.asarray(manifold3d.triangulate(polygons), np.int64).reshape(-1, 3)
        if len(triangles) != len(rows) - 2 + 2 * (len(group) - 1):
            return None
        caps.append(rows[triangles])
    return np.concatenate(caps) if caps else np.empty((0, 3), np.int64)


def boundary_loops(surface: Surface) -> list[np.ndarray] | None:
    """The holes of a surface as loops of points, in the direction in which a cap is wound; ``None`` if they meet."""
    table = shells.edges(surface.faces)
    start, end = surface.faces.ravel(), np.roll(surface.faces, -1, axis=1).ravel()
    rim = (table.face_count == 1)[table.of_corner.ravel()]
    start, end = start[rim], end[rim]
    if len(np.unique(start)) != len(start) or len(np.unique(end)) != len(end):
        return None
    # Against the faces' own direction: the cap runs along the same edge the other way.
    following = dict(zip(end.tolist(), start.tolist(), strict=True))
    loops = []
    while following:
        loop = [next(iter(following))]
        while (point := following.pop(loop[-1], None)) is not None and point != loop[0]:
            loop.append(point)
        if point is None or len(loop) < 3:
            return None
        loops.append(np.array(loop))
    return loops


def _loop_normal(points: np.ndarray) -> np.ndarray:
    """Unit normal around which a loop of (N, 3) points runs counter-clockwise (Newell's method)."""
    centered = points - points.mean(axis=0)
    normal = np.cross(centered, np.roll(centered, -1, axis=0)).sum(axis=0)
    return normal / max(np.linalg.norm(normal), 1e-300)


def _rims(surface: Surface, loops: list[np.ndarray]) -> list[list[np.ndarray]]:
    """Loops grouped so that the first of a group is the outer rim of a hollow end and the others lie within it."""
    span = [float(np.linalg.norm(np.ptp(surface.points[loop], axis=0))) for loop in loops]
    normals = np.array([_loop_normal(surface.points[loop]) for loop in loops])
    opposite = normals @ normals.T <= -OPPOSITE
    groups: dict[int, list[np.ndarray]] = {}
    for index in np.argsort(span, kind="stable")[::-1]:
        for outer in groups:
            if opposite[index, outer] and _is_within(
                surface.points[loops[index]], surface.points[loops[outer]], normals[outer]
            ):
                groups[outer].append(loops[index])
                break
        else:
            groups[index] = [loops[index]]
    return list(groups.values())


def _is_within(inner: np.ndarray, outer: np.ndarray, normal: np.ndarray) -> bool:
    """Whether a loop lies within another one of a unit normal, and near its plane."""
    middle = outer.mean(axis=0)
    reach = RIM_HEIGHT * float(np.linalg.norm(np.ptp(outer, axis=0)))
    if np.abs((inner - middle) @ normal).max() > reach:
        return False
    frame = _plane_frame(normal)
    (x, y), ring = inner[0] @ frame, outer @ frame
    ahead = np.roll(ring, -1, axis=0)
    spans = (ring[:, 1] > y) != (ahead[:, 1] > y)
    ring, ahead = ring[spans], ahead[spans]
    crossing = ring[:, 0] + (y - ring[:, 1]) / (ahead[:, 1] - ring[:, 1]) * (ahead[:, 0] - ring[:, 0])
    return bool((crossing > x).sum() % 2)


def _plane_frame(normal: np.ndarray) -> np.ndarray:
    """(3, 2) axes of a plane, right-handed around its normal."""
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    side /= max(np.linalg.norm(side), 1e-300)
    return np.stack([side, np.cross(normal, side)], axis=1)


def united(surface: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The union of closed shells that overlap, less the cavities within them.

    Args:
        surface: Closed; every shell wound outwards, those of cavities inwards.

    Returns:
        (P, 3) points, (F, 3) faces and (F,) rows of ``surface.faces`` that they are parts of; ``None`` where a shell
        crosses itself, of which a union can make nothing.
    """
    label = shells.shell_of_face(shells.edges(surface.faces))
    crossing = crossing_faces(surface.points, surface.faces)
    cavity = shells.cavities(surface, label, crossing)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    center, scale = 0.5 * (low + high), 2.0 ** np.round(np.log2(surface.diagonal))
    points = (surface.points - center) / scale
    solids, holes = [], []
    original_id = Manifold.reserve_ids(1)
    for shell in range(len(cavity)):
        rows = np.flatnonzero(label == shell)
        faces = surface.faces[rows][:, ::-1] if cavity[shell] else surface.faces[rows]
        if crossing[rows].any() and crossing_faces(points, faces).any():
            return None
        solid = _manifold(points, faces, rows, original_id)
        if solid.status() != Error.NoError:
            return None
        (holes if cavity[shell] else solids).append(solid)
    result = Manifold.batch_boolean(solids, OpType.Add)
    if holes:
        result = result - Manifold.batch_boolean(holes, OpType.Add)
    mesh = result.to_mesh64()
    faces = np.asarray(mesh.tri_verts, np.int64)
    return mesh.vert_properties[:, :3] * scale + center, faces, np.asarray(mesh.face_id, np.int64)


def _manifold(points: np.ndarray, faces: np.ndarray, rows: np.ndarray, original_id: int) -> Manifold:
    used, local = np.unique(faces, return_inverse=True)
    return Manifold(
        Mesh64(
            np.ascontiguousarray(points[used]),
            np.ascontiguousarray(local.reshape(-1, 3), np.uint64),
            run_index=np.array([0, 3 * len(faces)], np.uint64),
            run_original_id=np.array([original_id], np.uint32),
            face_id=np.ascontiguousarray(rows, np.uint64),
        )
    )


def envelope(surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """The boundary of what fTetWild (Hu et al. 2020) takes for the inside of any set of triangles.

    Returns:
        (P, 3) points and (F, 3) faces; no faces where it finds no inside, or there are too many.
    """
    most = min(MOST_CROSSING, 0.5 * len(surface.faces))
    if len(surface.faces) > MOST_FACES or crossing_faces(surface.points, surface.faces).sum() > most:
        return np.empty((0, 3)), np.empty((0, 3), np.int64)
    # The compiled function takes its arguments by position only.
    options = {
        "optimize": True,
        "skip_simplify": False,
        "edge_length_r": EDGE_LENGTH,
        "edge_length_abs": 0.0,
        "epsilon": ENVELOPE,
        "stop_energy": ENERGY,
        "coarsen": False,
        "num_threads": 1,
        "num_opt_iter": ROUNDS,
        "loglevel": 6,
        "quiet": True,
        "vtk_ordering": False,
        "disable_filtering": False,
        "bg_vertices": np.empty((0, 3)),
        "bg_tets": np.empty((0, 4), np.int32),
        "bg_values": np.empty(0),
    }
    points, faces = np.array(surface.points), np.array(surface.faces, np.uint32)
    # It leaves a file of its own in the working directory.
    with folders.temporary() as folder, contextlib.chdir(folder):
        points, cells = _ftetwild().tetrahedralize_mesh(points, faces, *options.values())
    cells = oriented(points, np.asarray(cells, np.int32).reshape(-1, 4))
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    used, local = np.unique(faces[appears_once(faces)], return_inverse=True)
    return points[used], local.reshape(-1, 3)


@cache
def _ftetwild() -> ModuleType:
    """The compiled part of pytetwild by itself: the package around it would import a viewer."""
    folder = Path(next(iter(importlib.util.find_spec("pytetwild").submodule_search_locations)))
    (path,) = (item for item in folder.glob("PyfTetWildWrapper*") if item.suffix in (".so", ".pyd"))
    spec = importlib.util.spec_from_file_location("PyfTetWildWrapper", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
