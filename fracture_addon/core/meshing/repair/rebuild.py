"""New faces for a surface that cannot be repaired otherwise: caps, unions of shells, and a new mesh by fTetWild."""

from __future__ import annotations

import contextlib
import importlib.util
from functools import cache
from pathlib import Path
from threading import Lock
from types import ModuleType

import manifold3d
import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType

from ...data.solid import oriented, outer_faces
from ...data.surface import Surface
from ...geometry import shells
from ...geometry.intersections import crossing_faces
from ...storage import folders

# Options of fTetWild: largest distance from the old surface, and wanted edge, both over the diagonal. Both are its
# defaults.
ENVELOPE, EDGE_LENGTH = 1e-3, 0.05
# Number of optimisation passes of fTetWild. A few suffice, because only the boundary of the tetrahedra is used. Half
# and twice the passes change the volume of a ball with a spike by 0.3 %.
ROUNDS = 5
# Energy of tetrahedra at which fTetWild stops; a regular one has 3. Half and twice the energy change the volume of the
# same ball by 0.3 %.
ENERGY = 300.0
# Largest distance of the rims of a hollow end from one plane, over the width of the outer rim. The repairs of
# 13 damaged meshes (docs/gallery/repair.py) keep their bytes from 0.05 to 1; at 0.01 half a jar gets other walls.
RIM_HEIGHT = 0.1
# Largest number of loops that are compared with each other. The repairs keep their bytes from 40 to 4,000.
MOST_RIMS = 400
# Smallest value of minus the dot product of the unit normals of two rims of a hollow end (26 degrees). The repairs keep
# their bytes from 0.72 to 0.95.
OPPOSITE = 0.9
# Numbers of faces and of crossing faces above which fTetWild takes minutes (measured).
MOST_FACES, MOST_CROSSING = 20_000, 500

# Held while the working directory of the process is another one.
_WORKING_DIRECTORY = Lock()


def capped(surface: Surface, together: bool) -> np.ndarray | None:
    """Triangulate caps over all holes, without new points.

    Args:
        surface: Surface with a consistent winding.
        together: Whether nested loops are the rims of one cap, as at the end of a hollow body. Otherwise each loop has
            its own cap.

    Returns:
        (C, 3) rows of ``surface.points``; ``None`` if the open edges do not form simple loops.

    Notes:
        Constrained triangulation of the projected rims by manifold3d (Meisters 1975: ears). The choice of rims is own.

    Example:
        The missing face of a tetrahedron.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> sorted(capped(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3]]), together=False)[0].tolist())
        [0, 2, 3]
    """
    loops = boundary_loops(surface)
    if loops is None:
        return None
    groups = _rims(surface, loops) if together and len(loops) <= MOST_RIMS else [[loop] for loop in loops]
    caps = []
    for group in groups:
        rows = np.concatenate(group)
        frame = plane_frame(loop_normal(surface.points[group[0]]))
        polygons = [np.ascontiguousarray((surface.points[loop] - surface.points[rows[0]]) @ frame) for loop in group]
        triangles = np.asarray(manifold3d.triangulate(polygons), np.int64).reshape(-1, 3)
        if len(triangles) != len(rows) - 2 + 2 * (len(group) - 1):
            return None
        caps.append(rows[triangles])
    return np.concatenate(caps) if caps else np.empty((0, 3), np.int64)


def boundary_loops(surface: Surface) -> list[np.ndarray] | None:
    """Return the rims of holes as loops of points, in the direction of a cap's winding.

    Args:
        surface: Surface with a consistent winding.

    Returns:
        Points of each loop; ``None`` if rims meet.

    Notes:
        Own: a walk from edge to edge, against the direction of the faces.

    Example:
        The missing face of a tetrahedron.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> [sorted(loop.tolist()) for loop in boundary_loops(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3]]))]
        [[0, 2, 3]]
    """
    table = shells.edges(surface.faces)
    start, end = surface.faces.ravel(), np.roll(surface.faces, -1, axis=1).ravel()
    rim = (table.face_count == 1)[table.of_corner.ravel()]
    start, end = start[rim], end[rim]
    if len(np.unique(start)) != len(start) or len(np.unique(end)) != len(end):
        return None
    # Against the direction of the faces: a cap runs along the same edge in the opposite direction.
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


def loop_normal(points: np.ndarray) -> np.ndarray:
    """Return the unit normal around which a loop runs counter-clockwise.

    Args:
        points: (N, 3) m, in the order of the loop.

    Returns:
        (3,).

    Notes:
        Newell's method (Sutherland, Sproull and Schumacker 1974, A Characterization of Ten Hidden-Surface Algorithms).

    Example:
        >>> loop_normal(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])).tolist()
        [0.0, 0.0, 1.0]
    """
    centered = points - points.mean(axis=0)
    normal = np.cross(centered, np.roll(centered, -1, axis=0)).sum(axis=0)
    return normal / max(np.linalg.norm(normal), 1e-300)


def _rims(surface: Surface, loops: list[np.ndarray]) -> list[list[np.ndarray]]:
    """Group loops by hollow ends. The first loop of a group is the outer rim; the others are inside it."""
    span = [float(np.linalg.norm(np.ptp(surface.points[loop], axis=0))) for loop in loops]
    normals = np.array([loop_normal(surface.points[loop]) for loop in loops])
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
    """Return whether a loop is inside another one with a unit normal, and near its plane."""
    middle = outer.mean(axis=0)
    reach = RIM_HEIGHT * float(np.linalg.norm(np.ptp(outer, axis=0)))
    if np.abs((inner - middle) @ normal).max() > reach:
        return False
    frame = plane_frame(normal)
    (x, y), ring = inner[0] @ frame, outer @ frame
    ahead = np.roll(ring, -1, axis=0)
    spans = (ring[:, 1] > y) != (ahead[:, 1] > y)
    ring, ahead = ring[spans], ahead[spans]
    crossing = ring[:, 0] + (y - ring[:, 1]) / (ahead[:, 1] - ring[:, 1]) * (ahead[:, 0] - ring[:, 0])
    return bool((crossing > x).sum() % 2)


def plane_frame(normal: np.ndarray) -> np.ndarray:
    """Return the axes of a plane.

    Args:
        normal: (3,) unit normal.

    Returns:
        (3, 2), right-handed around the normal.
    """
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    side /= max(np.linalg.norm(side), 1e-300)
    return np.stack([side, np.cross(normal, side)], axis=1)


def united(surface: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Compute the union of closed shells that overlap, without their cavities.

    Args:
        surface: Closed surface with outward normals, and inward normals of cavities.

    Returns:
        (P, 3) points, m, (F, 3) faces, and the face (F,) of ``surface`` that contains each; ``None`` if a shell crosses
        itself, which manifold3d does not accept.

    Notes:
        manifold3d (Lalish; Smith 2009, Towards Robust Inexact Geometric Computation).

    Example:
        Two tetrahedra of 1/6 m3 share an eighth of it.

        >>> from ...data.surface import volume
        >>> corners, faces = np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> both = Surface(np.vstack([corners, corners + [0.5, 0.0, 0.0]]), np.vstack([faces, faces + 4]))
        >>> points, faces, _ = united(both)
        >>> round(6.0 * volume(Surface(points, faces)), 9)
        1.875
    """
    label = shells.shell_of_face(shells.edges(surface.faces))
    crossing = crossing_faces(surface.points, surface.faces)
    cavity = shells.cavities(surface, label, crossing)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    center, scale = 0.5 * (low + high), 2.0 ** np.round(np.log2(surface.diagonal))
    points = (surface.points - center) / scale
    solids: list[Manifold] = []
    holes: list[Manifold] = []
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
    """Return the boundary of the inside of a set of triangles, as fTetWild (Hu et al. 2020) computes it.

    It differs a little from call to call: fTetWild inserts the faces in a random order whose seed cannot be set.

    Args:
        surface: Any surface.

    Returns:
        (P, 3) points, m, and (F, 3) faces; no faces if it finds no inside, or if the surface is too large for it (more
        than ``MOST_FACES`` faces, or ``MOST_CROSSING`` crossing ones).
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
    # fTetWild writes a file into the working directory, which all threads share.
    with _WORKING_DIRECTORY, folders.temporary() as folder, contextlib.chdir(folder):
        points, cells = _ftetwild().tetrahedralize_mesh(points, faces, *options.values())
    cells = oriented(points, np.asarray(cells, np.int32).reshape(-1, 4))
    used, local = np.unique(outer_faces(cells)[0], return_inverse=True)
    return points[used], local.reshape(-1, 3)


@cache
def _ftetwild() -> ModuleType:
    """Return the compiled module of pytetwild. The package itself would import a viewer.

    Raises:
        ImportError: pytetwild is not installed, or its compiled module is missing.
    """
    package = importlib.util.find_spec("pytetwild")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for path in Path(folder).glob("PyfTetWildWrapper*"):
            spec = importlib.util.spec_from_file_location("PyfTetWildWrapper", path)
            if path.suffix in (".so", ".pyd") and spec and spec.loader:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError("pytetwild is not installed")
