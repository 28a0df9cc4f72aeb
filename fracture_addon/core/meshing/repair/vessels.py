"""Test whether an open surface without thickness is a vessel, whose openings stay open, or a solid with holes.

A vessel is a single wall, without a second wall beside it. It has one or two openings with flat, convex rims of many
edges. Holes of scans and missing faces have other rims. A single opening at the bottom is the missing base of a statue
or a rock. Two openings far apart are the ends of a column.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...data.material import Material
from ...data.surface import Surface, area
from ...geometry import shells
from . import rebuild

# Within the ranges below, eight vessels and solids, a teapot, a mug, half a jar and half a ball keep their treatment.
#
# Fewest edges of the rim of an opening; a hole where faces are missing has fewer. Up to 16.
FEWEST_EDGES = 8
# Largest distance of a rim from its plane over its width. From 0.03 to 5.
RIM_HEIGHT = 0.05
# Least share of the area of its convex hull that a rim encloses. Up to 0.99.
RIM_CONVEXITY = 0.9
# Least area of the only opening of a vessel over the area with the opening; a bottle has 0.006. Up to 0.006.
ONE_OPENING = 0.003
# Least area of two openings over the area with them. A column 8 diameters long has 0.06; a lampshade has 0.2 or more.
# From 0.06 to 0.37.
TWO_OPENINGS = 0.15
# Cosine between the direction from the middle of a body to its only opening and the vertical, below which the opening
# is its base. From -0.98 to 0.
DOWN = -0.7
# Least depth of a vessel with one opening over the width of its rim; below it, the surface is a sheet. Up to 0.3.
DEPTH = 0.1
# Thickness of the wall over the diagonal (porcelain cups: 0.02 to 0.03) for this strength, Pa. A weaker material needs
# a thicker wall: bending stress falls with the square of the thickness.
WALL, STRENGTH = 0.02, 40e6
# Limits of the thickness over the diagonal. They apply to strengths above 640 MPa and below 4.4 MPa.
THINNEST, THICKEST = 0.005, 0.06


def wall_of(material: Material, diagonal: float) -> float:
    """Return the thickness of the wall of a vessel.

    Args:
        material: Its material.
        diagonal: Its size, m.

    Returns:
        m.

    Notes:
        Own: the share of porcelain cups, for the same load in other materials. Bending stress falls with the square of
        the thickness (Timoshenko and Woinowsky-Krieger 1959, Theory of Plates and Shells).

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> round(wall_of(PORCELAIN, 0.15), 4)
        0.003
    """
    return diagonal * min(max(WALL * math.sqrt(STRENGTH / material.tensile_strength), THINNEST), THICKEST)


def has_vessel(surface: Surface, part: np.ndarray) -> bool:
    """Return whether a part of a surface is a vessel.

    Args:
        surface: Surface with consistent winding, at most two faces at an edge, and one fan at each point.
        part: (F,) shell of each face; an inner wall has that of the outer wall around it.

    Returns:
        Whether a part without an inner wall has one or two round, flat openings.
    """
    loops = rebuild.boundary_loops(surface)
    if not loops or len(loops) > rebuild.MOST_RIMS:
        return False
    label = shells.shell_of_face(shells.edges(surface.faces))
    doubled = _doubled(label, part)
    shell_of_point = np.full(len(surface.points), -1)
    shell_of_point[surface.faces] = label[:, None]
    for shell in np.unique([shell_of_point[loop[0]] for loop in loops]):
        own = [surface.points[loop] for loop in loops if shell_of_point[loop[0]] == shell]
        if shell not in doubled and _is_vessel(Surface(surface.points, surface.faces[label == shell]), own):
            return True
    return False


def _doubled(label: np.ndarray, joined: np.ndarray) -> set[int]:
    """Return the shells that have an inner or outer wall already: those that a ring-shaped cap connects to another."""
    pairs = np.unique(np.stack([label, joined], axis=1), axis=0)
    parts, counts = np.unique(pairs[:, 1], return_counts=True)
    return set(pairs[np.isin(pairs[:, 1], parts[counts > 1]), 0].tolist())


def _is_vessel(shell: Surface, rims: list[np.ndarray]) -> bool:
    """Return whether a shell with rims (each (N, 3) m) is a vessel."""
    if len(rims) > 2 or not all(map(_is_opening, rims)):
        return False
    whole = area(shell)
    openings = sum(map(_area, rims))
    share = openings / (whole + openings)
    if len(rims) == 2:
        return share >= TWO_OPENINGS
    points = shell.points[np.unique(shell.faces)] - rims[0].mean(axis=0)
    if np.ptp(points @ rebuild.loop_normal(rims[0])) < DEPTH * float(np.linalg.norm(np.ptp(rims[0], axis=0))):
        return False
    sizes = np.linalg.norm(np.cross(*(shell.corners[:, [1, 2]] - shell.corners[:, :1]).transpose(1, 0, 2)), axis=1)
    middle = np.average(shell.corners.mean(axis=1), axis=0, weights=sizes)
    towards = rims[0].mean(axis=0) - middle
    return share >= ONE_OPENING and towards[2] >= DOWN * float(np.linalg.norm(towards))


def _is_opening(rim: np.ndarray) -> bool:
    """Return whether a rim is flat, convex and round."""
    normal = rebuild.loop_normal(rim)
    height = float(np.ptp((rim - rim.mean(axis=0)) @ normal))
    if len(rim) < FEWEST_EDGES or height > RIM_HEIGHT * float(np.linalg.norm(np.ptp(rim, axis=0))):
        return False
    try:
        hull = ConvexHull((rim - rim.mean(axis=0)) @ rebuild.plane_frame(normal))
    except QhullError:  # without area
        return False
    return _area(rim) >= RIM_CONVEXITY * hull.volume


def _area(rim: np.ndarray) -> float:
    centered = rim - rim.mean(axis=0)
    return 0.5 * float(np.linalg.norm(np.cross(centered, np.roll(centered, -1, axis=0)).sum(axis=0)))
