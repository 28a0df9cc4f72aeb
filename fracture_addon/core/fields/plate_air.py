"""Forces of the air on thin plates: leaves, paper and strips glide, flutter or tumble.

Andersen, Pesavento and Wang 2005, "Unsteady aerodynamics of fluttering and tumbling plates", J. Fluid Mech. 541: the
force on a plate that moves and turns has drag, lift from its motion and lift from its rotation, and the air turns it
broadside. The formulas are those of a plate in two dimensions: here in the plane of its normal and its velocity, with
the width along the velocity or across the axis of rotation.
"""

from __future__ import annotations

import numpy as np

from .airflow import AIR_DENSITY, DRAG

# Coefficients of lift from translation and of the torque that damps rotation (Andersen et al. 2005, equations 2.7 and
# 2.9: 1.0 and 0.2).
LIFT, DAMPING = 1.0, 0.2
# Coefficient of lift from rotation; Andersen et al. 2005 use pi. Tuned: nine of nine strips flutter at Froude numbers
# up to 0.55, two of three at 0.62, and all tumble at 0.67 to 1. Belmonte et al. 1998, "From flutter to tumble",
# measured the change at 0.67 +- 0.05. In two dimensions it is at 0.65 with 1.5, 0.75 with 2.0 and 0.85 with pi.
SPIN_LIFT = 1.5
# Drag coefficient of a plate that moves along its own plane (Andersen et al. 2005: (A - B) over A + B is a sixth).
EDGE_DRAG = DRAG / 6.0
# Speed below which the air does nothing, m/s. It only prevents a division by zero.
AT_REST = 1e-9


def plate_forces(
    centers: np.ndarray, areas: np.ndarray, velocities: np.ndarray, fragments: np.ndarray | None = None
) -> np.ndarray:
    """Return the forces of the air on the faces of thin plates.

    Args:
        centers: (F, 3) m, centres of the faces of the middle surfaces.
        areas: (F, 3) m2, area vectors of the faces.
        velocities: (F, 3) m/s, of the faces relative to the air.
        fragments: (F,) the fragment of each face, each a plate of its own; ``None`` for one plate.

    Returns:
        (F, 3) N.

    Notes:
        Each face has its own normal drag. To this come the differences between the force and the torque of the whole
        plate and those of its faces, in proportion to its flatness: the length of the mean normal. A closed or crumpled
        surface has only the drag of its faces. Left out: the mass of the air that moves with the plate.

    Example:
        A square of 1 m2 that falls flat at 1 m/s, and one that falls at 45 degrees and slides sideways:

        >>> center, fall = np.zeros((1, 3)), np.array([[0.0, 0.0, -1.0]])
        >>> plate_forces(center, np.array([[0.0, 0.0, 1.0]]), fall).round(3).tolist()
        [[0.0, 0.0, 0.72]]
        >>> bool(plate_forces(center, np.array([[0.6, 0.0, 0.8]]), fall)[0, 0] > 0.1)
        True
    """
    sizes = np.linalg.norm(areas, axis=1)
    normals = areas / np.maximum(sizes, 1e-300)[:, None]
    against = np.einsum("fi,fi->f", velocities, normals)
    forces = -(0.5 * AIR_DENSITY * DRAG * sizes * np.abs(against) * against)[:, None] * normals
    if fragments is None:
        rows = [np.arange(len(centers))]
    else:
        rows = [np.flatnonzero(fragments == label) for label in np.unique(fragments)]
    for own in rows:
        forces[own] += _whole_plate(centers[own], areas[own], sizes[own], velocities[own], forces[own])
    return forces


def _whole_plate(
    centers: np.ndarray, areas: np.ndarray, sizes: np.ndarray, velocities: np.ndarray, forces: np.ndarray
) -> np.ndarray:
    """Return what the forces (F, 3) N of a plate's faces lack for those of the whole plate."""
    area = sizes.sum()
    normal = areas.sum(axis=0)
    flatness = np.linalg.norm(normal) / max(area, 1e-300)
    if flatness == 0.0:
        return np.zeros_like(forces)
    normal = normal / np.linalg.norm(normal)
    arms = centers - sizes @ centers / area
    # Moments of area about the centre, m4.
    moments = np.einsum("f,fi,fj->ij", sizes, arms, arms)
    inertia = np.trace(moments) * np.eye(3) - moments
    moving = sizes @ velocities / area
    speed = float(np.linalg.norm(moving))
    if speed < AT_REST or np.linalg.matrix_rank(inertia) < 3:
        return np.zeros_like(forces)
    spin = np.linalg.solve(inertia, np.einsum("f,fi->i", sizes, np.cross(arms, velocities)))
    spin -= (spin @ normal) * normal
    across = float(moving @ normal)
    sliding = moving - across * normal
    along = float(np.linalg.norm(sliding))
    share = (along / speed) ** 2
    drag = 0.5 * AIR_DENSITY * area * (DRAG * (1.0 - share) + EDGE_DRAG * share) * speed
    force, torque = -drag * moving, np.zeros(3)
    if along > 0.0:
        forward = sliding / along
        half = _half_width(forward, moments, area)
        lift = AIR_DENSITY * LIFT * area * along * across / speed
        force += lift * (across * forward - along * normal)
        torque -= 0.5 * np.pi * AIR_DENSITY * area * half * along * across * np.cross(forward, normal)
    turning = float(np.linalg.norm(spin))
    if turning > 0.0:
        half = _half_width(np.cross(normal, spin / turning), moments, area)
        force += AIR_DENSITY * SPIN_LIFT * area * half * np.cross(spin, moving)
        torque -= 0.5 * np.pi * AIR_DENSITY * area * half**3 * DAMPING * (speed / half + turning) * spin
    lacks = flatness * (force - forces.sum(axis=0))
    own = np.cross(arms, forces).sum(axis=0)
    turns = flatness * (torque - own + (own @ normal) * normal)
    return sizes[:, None] * (lacks / area + np.cross(np.linalg.solve(inertia, turns), arms))


def _half_width(direction: np.ndarray, moments: np.ndarray, area: float) -> float:
    """Return half the width, m, of the rectangle with the same second moment of area along a direction."""
    return float(np.sqrt(3.0 * direction @ moments @ direction / area))
