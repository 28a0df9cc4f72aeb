"""Pressure inside hollow bodies as a steady load on their inner faces (docs/decisions/pressures.md)."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.errors import SceneError
from ..data.impact import STEADY, Impact, PressedFaces
from ..data.pressure import InternalPressure
from ..geometry.cavity import covered_share, inner_faces, seen_volume
from ..geometry.visibility import SeenFaces
from ..numerics.rotations import length
from ..rigid import collision_shape
from ..rigid.contacts import PATCH_CELLS
from .face_loads import FaceLoad, patches
from .rigid_fragment import Breakable, RigidFragment

# Share of all directions in which a point in a hollow sees its wall. Half a sphere covers 50 % of them in the plane of
# its rim, 62 % a quarter of the depth below, and 72 % halfway down. The middle of an open pipe that is half as long as
# wide has 47 %, of one as long as wide 73 %. At 0.4 a ring would hold gas, at 0.6 an empty just below the rim of a bowl
# would be refused.
COVERED = 0.5
# Distance over which the gas pushes fragments, over the distance in which its volume doubles. The work is then half of
# pressure times volume: a fifth of the energy of the gas after Brode 1959, p V / (1.4 - 1). The rest leaves through the
# cracks. At 0.25, 0.5 and 1 the pieces of a sphere get 9, 18 and 36 % of it, and fly at 90, 128 and 181 m/s. Their
# number does not change (three seeds).
PUSHED = 0.5


def hollow_body(breakables: Sequence[Breakable], pressure: InternalPressure) -> tuple[int, SeenFaces]:
    """Return the row of the whole body around a pressure, and the faces of its cavity, rest space.

    Args:
        breakables: The bodies.
        pressure: The pressure.

    Raises:
        SceneError: The pressure is in no cavity.
    """
    nearest, most, inside = -1, 0.0, None
    for row, item in enumerate(breakables):
        points = item.solid.points[item.solid.cells]
        if (pressure.point < points.min(axis=(0, 1))).any() or (pressure.point > points.max(axis=(0, 1))).any():
            continue
        faces = inner_faces(collision_shape.boundary(item.solid.points, item.solid.cells)[0], pressure.point)
        share = covered_share(faces, pressure.point)
        if share > most:
            nearest, most, inside = row, share, faces
    if inside is not None and most >= COVERED:
        return nearest, inside
    found = "no object that breaks is around it"
    if inside is not None:
        name = breakables[nearest].body.name
        found = f"'{name}' is around it in {most:.0%} of all directions, and {COVERED:.0%} are needed"
    raise SceneError(
        f"the pressure '{pressure.name}' is not inside a hollow object: {found}; move it into a bottle, a pipe or "
        "another hollow object that breaks, or hide it in the viewport"
    )


def pressure_load(faces: SeenFaces, fragment: RigidFragment, pressure: float, violence: float) -> FaceLoad:
    """Return the load of a pressure on the whole body around it.

    Args:
        faces: Faces of its cavity, rest space.
        fragment: The body.
        pressure: Pa.
        violence: Load factor of the impacts.

    Returns:
        Forces, N, on the faces, and the same load as impacts on patches of them.

    Notes:
        Own (docs/decisions/pressures.md). The work of the gas is a share of its energy p V / 0.4 (Brode 1959).

    Example:
        3 Pa on a face of 2 m2 whose normal points into the cavity.

        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> corners, normal = np.array([[[0.0, 0, 0], [2, 0, 0], [0, 2, 0]]]), np.array([[0.0, 0.0, 1.0]])
        >>> face = SeenFaces(corners, np.array([2.0]), normal, np.ones(1), np.ones(1))
        >>> load = pressure_load(face, SimpleNamespace(cell_size=1.0), 3.0, 1.0)
        >>> load.impulses[:, 2].tolist(), load.impacts[0].contact_force
        ([-6.0], 6.0)
    """
    forces = -(pressure * faces.areas)[:, None] * faces.normals
    points, impacts = faces.centers, []
    for mine, middle, wide in patches(points, faces.areas, forces, PATCH_CELLS * fragment.cell_size):
        total = forces[mine].sum(axis=0)
        size = length(total)
        own = PressedFaces(points[mine], forces[mine] / size)
        impacts.append(Impact(middle, total, 0.5 * size * STEADY, STEADY, wide, load_factor=violence, faces=own))
    return FaceLoad(tuple(impacts), points, forces, PUSHED * seen_volume(faces) / float(faces.areas.sum()))
