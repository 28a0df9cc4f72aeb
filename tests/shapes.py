"""Solids to break in tests, Z up, in metres: modelled ones by formula, and the real meshes of ``tests/meshes``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fracture_addon.core.data.surface import Surface

MESHES = Path(__file__).parent / "meshes"

# Height in metres of each shipped mesh, along Z.
HEIGHTS = {
    "old_jar": 0.25,
    "bowl": 0.104,
    "bread-plate": 0.022,
    "cocktailGlass": 0.131,
    "glass_12oz": 0.097,
    "stoneLantern": 0.494,
    "rock3": 0.438,
    "pottery": 0.09,
    "crate": 0.594,
    "coffee-mug": 0.108,
    "porch-column-01": 2.5,
    "teapot_newell": 0.16,
}
# One clean closed body each; clean bodies that touch or overlap; broken, though a person sees what is meant.
CLEAN = ("old_jar", "bowl", "bread-plate", "cocktailGlass", "glass_12oz", "stoneLantern", "rock3")
SEVERAL = ("pottery", "crate")
BROKEN = ("coffee-mug", "porch-column-01", "teapot_newell")


def shipped(name: str) -> Surface:
    """A mesh of ``tests/meshes`` at its real height."""
    (path,) = (MESHES / name).glob("*.obj")
    return read_obj(path, HEIGHTS[name])


def read_obj(path: Path, height: float) -> Surface:
    """Read a Wavefront file (Y up), weld it by position, triangulate, turn it Z up and scale it to ``height`` metres.

    UVs become ``uv/UVMap``; the order of ``usemtl`` becomes ``material_index``.
    """
    points, uvs, faces, face_uvs, materials, names = [], [[0.0, 0.0]], [], [], [], [""]
    material = 0
    for line in Path(path).read_text(encoding="latin-1").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            points.append([float(word) for word in words[:3]])
        elif key == "vt":
            uvs.append([float(word) for word in words[:2]])
        elif key == "usemtl":
            names += [name for name in words[:1] if name not in names]
            material = max(names.index(words[0]) - 1, 0) if words else 0
        elif key == "f":
            corners = [[*word.split("/"), "0"][:2] for word in words]
            rows = [int(corner[0]) for corner in corners]
            rows = [row - 1 if row > 0 else len(points) + row for row in rows]
            uv_rows = [int(corner[1] or 0) for corner in corners]
            for i in range(1, len(rows) - 1):
                faces.append((rows[0], rows[i], rows[i + 1]))
                face_uvs.append((uv_rows[0], uv_rows[i], uv_rows[i + 1]))
                materials.append(material)
    points = np.array(points)[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
    points, inverse = np.unique(points, axis=0, return_inverse=True)
    low = points.min(axis=0)
    points = (points - low) * (height / np.ptp(points[:, 2]))
    faces = inverse.reshape(-1)[np.array(faces)]
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return Surface(
        points,
        faces[whole],
        face_attributes={"material_index": np.array(materials, np.int32)[whole]},
        corner_attributes={"uv/UVMap": np.array(uvs)[np.array(face_uvs)[whole]]},
    )


def box(size=(1.0, 1.0, 1.0), center=(0.0, 0.0, 0.0)) -> Surface:
    """A cuboid of twelve triangles."""
    points = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    quads = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    return Surface(points * size + center, _quads_to_triangles(quads))


def cube(size: float = 1.0) -> Surface:
    """A cube about the origin."""
    return box((size, size, size))


def tetrahedron() -> Surface:
    """The corner of the unit cube: volume 1/6."""
    return Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


# Five faces around the first corner, five beside them, and the same from the opposite corner.
_ICOSAHEDRON = """
    0 11 5  0 5 1  0 1 7  0 7 10  0 10 11  1 5 9  5 11 4  11 10 2  10 7 6  7 1 8
    3 9 4  3 4 2  3 2 6  3 6 8  3 8 9  4 9 5  2 4 11  6 2 10  8 6 7  9 8 1
"""


def icosphere(radius: float = 1.0, subdivisions: int = 2) -> Surface:
    """A sphere of 20 * 4^subdivisions triangles."""
    golden = (1.0 + 5.0**0.5) / 2.0
    points = np.array([[-1, golden, 0], [1, golden, 0], [-1, -golden, 0], [1, -golden, 0]])
    points = np.concatenate([points, points[:, [2, 0, 1]], points[:, [1, 2, 0]]])
    faces = np.array([int(word) for word in _ICOSAHEDRON.split()]).reshape(-1, 3)
    for _ in range(subdivisions):
        edges = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1), axis=-1).reshape(-1, 2)
        edges, rows = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = (len(points) + rows.reshape(-1, 3)).T
        a, b, c = faces.T
        points = np.concatenate([points, points[edges].mean(axis=1)])
        faces = np.concatenate([np.stack(row, axis=1) for row in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return Surface(radius * points / np.linalg.norm(points, axis=1, keepdims=True), faces)


def torus(radius: float = 1.0, thickness: float = 0.3, segments: int = 24, sides: int = 12) -> Surface:
    """A ring about Z."""
    around = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)[:, None]
    across = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)[None, :]
    reach = radius + thickness * np.cos(across)
    heights = np.tile(thickness * np.sin(across), (segments, 1))
    points = np.stack([reach * np.cos(around), reach * np.sin(around), heights], axis=-1)
    i, j = np.meshgrid(np.arange(segments), np.arange(sides), indexing="ij")
    next_i, next_j = (i + 1) % segments, (j + 1) % sides
    corners = [i * sides + j, next_i * sides + j, next_i * sides + next_j, i * sides + next_j]
    quads = np.stack(corners, axis=-1)
    return Surface(points.reshape(-1, 3), _quads_to_triangles(quads.reshape(-1, 4)))


def revolved(profile, segments: int = 32) -> Surface:
    """A solid of revolution about Z from a (N, 2) profile of radius and height that starts and ends on the axis.

    The profile runs so that the solid is to its left: up the outside, down the inside.
    """
    profile = np.asarray(profile, float)
    angles = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    rings = profile[1:-1]
    points = np.stack(
        [rings[:, :1] * np.cos(angles), rings[:, :1] * np.sin(angles), np.repeat(rings[:, 1:], segments, axis=1)],
        axis=-1,
    ).reshape(-1, 3)
    first, last = len(points), len(points) + 1
    points = np.concatenate([points, [[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]]])
    j = np.arange(segments)
    k = (j + 1) % segments
    faces = [np.stack([np.full(segments, first), k, j], axis=1)]
    for ring in range(len(rings) - 1):
        low, high = ring * segments, (ring + 1) * segments
        faces.append(_quads_to_triangles(np.stack([low + j, low + k, high + k, high + j], axis=1)))
    top = (len(rings) - 1) * segments
    faces.append(np.stack([np.full(segments, last), top + j, top + k], axis=1))
    return Surface(points, np.concatenate(faces))


def tube(radius: float, wall: float, length: float, segments: int = 48, rings: int = 12) -> Surface:
    """A tube along Z with open ends; ``radius`` is that of the middle of its wall."""
    levels = np.linspace(-0.5 * length, 0.5 * length, rings)
    outside, inside = (np.stack([np.full(rings, radius + side * wall), levels], axis=1) for side in (0.5, -0.5))
    whole = revolved(np.concatenate([[[0.0, levels[0]]], outside, inside[::-1], [[0.0, levels[0]]]]), segments)
    # Instead of the two discs of a revolved profile, faces close the lower end of the wall.
    first, last, turn = 0, (2 * rings - 1) * segments, np.arange(segments)
    following = (turn + 1) % segments
    end = [np.stack([last + turn, last + following, first + following], axis=1)]
    end.append(np.stack([last + turn, first + following, first + turn], axis=1))
    return Surface(whole.points[:-2], np.concatenate([whole.faces[segments:-segments], *end]))


def cup(
    radius: float = 0.04, height: float = 0.09, wall: float = 0.003, segments: int = 48, rings: int = 12
) -> Surface:
    """A straight cup with a thin wall and floor, open at the top."""
    levels = np.linspace(0.0, height, rings)
    outside = np.stack([np.full(rings, radius), levels], axis=1)
    inside = np.stack([np.full(rings, radius - wall), np.linspace(height, wall, rings)], axis=1)
    return revolved(np.concatenate([[[0.0, 0.0]], outside, inside, [[0.0, wall]]]), segments)


def bowl(radius: float = 0.1, wall: float = 0.004, segments: int = 48, rings: int = 12) -> Surface:
    """Half of a spherical shell, open at the top."""
    angles = np.linspace(0.0, 0.5 * np.pi, rings + 1)
    arc = np.stack([np.sin(angles), 1.0 - np.cos(angles)], axis=1)
    inner = (radius - wall) * arc[::-1] + [0.0, wall]
    return revolved(np.concatenate([radius * arc, inner]), segments)


def plank(length: float = 1.0, width: float = 0.15, thickness: float = 0.02) -> Surface:
    """A board that lies along X."""
    return box((length, width, thickness))


def leaves(count: int = 200, seed: int = 0) -> Surface:
    """Many small open sheets apart, turned at random: a bunch about 1 m across that bounds no solid."""
    random = np.random.default_rng(seed)
    across, along = np.meshgrid(np.linspace(-0.5, 0.5, 5), np.linspace(0.1, 0.9, 9), indexing="ij")
    points = np.stack([0.3 * across * np.sin(np.pi * along), along, 0.3 * along**2], axis=-1).reshape(-1, 3)
    row = np.arange(45).reshape(5, 9)
    quads = np.stack([row[:-1, :-1], row[1:, :-1], row[1:, 1:], row[:-1, 1:]], axis=-1).reshape(-1, 4)
    leaf = Surface(points, _quads_to_triangles(quads))
    turns = np.linalg.qr(random.normal(size=(count, 3, 3)))[0]
    return joined(*(moved(leaf, 0.1, turn, 0.3 * random.normal(size=3)) for turn in turns))


def shrunk_apart(surface: Surface, scale: float) -> Surface:
    """Each triangle scaled about its middle: open triangles apart, with gaps between them."""
    middle = surface.corners.mean(axis=1, keepdims=True)
    points = middle + scale * (surface.corners - middle)
    return Surface(points.reshape(-1, 3), np.arange(surface.faces.size).reshape(-1, 3))


def tiled(surface: Surface, scale: float) -> Surface:
    """As ``shrunk_apart``, each triangle divided into 16 that hang together."""
    corners = shrunk_apart(surface, scale).corners
    for _ in range(2):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        corners = np.concatenate([np.stack(row, 1) for row in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    points, faces = np.unique(corners.reshape(-1, 3).round(12), axis=0, return_inverse=True)
    return Surface(points, faces.reshape(-1, 3))


def joined(*surfaces: Surface) -> Surface:
    """One surface of several shells; attributes are left behind."""
    starts = np.cumsum([0] + [len(surface.points) for surface in surfaces[:-1]])
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.faces + start for surface, start in zip(surfaces, starts, strict=True)]),
    )


def moved(surface: Surface, scale=1.0, rotation=None, offset=(0.0, 0.0, 0.0)) -> Surface:
    """The surface scaled, turned by a (3, 3) rotation and shifted, in that order; everything else kept."""
    rotation = np.eye(3) if rotation is None else np.asarray(rotation)
    points = scale * surface.points @ rotation.T + offset
    return Surface(points, surface.faces, surface.face_source, surface.face_attributes, surface.corner_attributes)


def fork(length: float, width: float, prong: float, gap: float) -> Surface:
    """A fork of two prongs along X, one above the other, whose base is at smaller X."""
    levels = [0.0, prong, prong + gap, 2.0 * prong + gap]
    across = np.array([-prong, 0.0, length, length, 0.0, 0.0, length, length, 0.0, -prong, -prong, -prong])
    outline = np.stack([across, np.take(levels, [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 2, 1])], axis=1)
    count = len(outline)
    points = np.concatenate([np.insert(outline, 1, side * 0.5 * width, axis=1) for side in (-1.0, 1.0)])
    caps = np.array([[0, 1, 4, 11], [1, 2, 3, 4], [11, 4, 5, 10], [10, 5, 8, 9], [5, 6, 7, 8]])
    start = np.arange(count)
    sides = np.stack([start, start + count, (start + 1) % count + count, (start + 1) % count], axis=1)
    return Surface(points, _quads_to_triangles(np.concatenate([caps, caps[:, ::-1] + count, sides])))


def divided(surface: Surface) -> Surface:
    """Divide every triangle into four, twice."""
    points, faces = surface.points, surface.faces
    for _ in range(2):
        corners = points[faces]
        middle = 0.5 * (corners + np.roll(corners, -1, axis=1))
        a, b, c = np.moveaxis(corners, 1, 0)
        ab, bc, ca = np.moveaxis(middle, 1, 0)
        parts = np.concatenate(
            [np.stack(item, axis=1) for item in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
        points, rows = np.unique(parts.reshape(-1, 3).round(12), axis=0, return_inverse=True)
        faces = rows.reshape(-1, 3)
    return Surface(points, faces)


def flipped(surface: Surface) -> Surface:
    """The surface inside out; attributes are left behind."""
    return Surface(surface.points, surface.faces[:, ::-1])


def without_faces(surface: Surface, rows) -> Surface:
    """The surface with holes where the faces ``rows`` were."""
    kept = np.delete(np.arange(len(surface.faces)), rows)
    return Surface(
        surface.points,
        surface.faces[kept],
        face_attributes={name: values[kept] for name, values in surface.face_attributes.items()},
        corner_attributes={name: values[kept] for name, values in surface.corner_attributes.items()},
    )


def _quads_to_triangles(quads: np.ndarray) -> np.ndarray:
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
