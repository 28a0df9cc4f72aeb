"""The ties of deformable bodies: glue and joints between two of them, and joints with rigid bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....data.choice import chosen
from ....data.job import Body, Bond, Glue
from ....geometry.facing import Facing, contact_area
from ...joint_ties import JointLayer, strength_factors, ties_of
from ...rigid_joints import RigidJoints
from ...whole_shot import Colliders
from .shot import Shot
from .ties import STABLE, Ties

# Kinds of glue (``Glue.kind``), which are one for finite elements: ties between the surfaces.
KINDS = {"nodes": Ties, "bonds": Ties}


def glue_ties(glue: Glue, shots: Sequence[Shot], bodies: Sequence[Body]) -> Ties:
    """Return the ties of glue between two of the bodies, as strong and as stiff as the weaker and the softer one.

    Raises:
        SettingsError: The glue has an unknown kind.
    """
    chosen(KINDS, glue.kind, "kind of glue")
    sides = shots[glue.first], shots[glue.second]
    area, size = _facing(glue, sides, bodies)
    stiffness = min(shot.material.young_modulus for shot in sides) / size
    strength = glue.strength * min(shot.material.tensile_strength for shot in sides)
    return _ties(glue, sides, area, np.full(len(area.areas), stiffness), strength)


def bond_ties(bond: Bond, shots: Sequence[Shot], bodies: Sequence[Body]) -> Ties:
    """Return the ties of a joint of two of the bodies, with the strength and the stiffness of the joint."""
    sides = shots[bond.first], shots[bond.second]
    area, size = _facing(bond, sides, bodies)
    softening = max(bodies[row].settings.motion.softening for row in (bond.first, bond.second))
    young_modulus = min(shot.material.young_modulus for shot in sides)
    layer = JointLayer.of(bond, area.gaps, size, young_modulus, softening)
    factors = strength_factors(bond, len(area.areas), bodies[bond.first].settings.seed)
    return _ties(bond, sides, area, layer.stiffness, layer.strength * factors, layer.width)


def rigid_joints(
    shots: Mapping[int, Shot], bodies: Sequence[Body], colliders: Colliders, step: float
) -> RigidJoints | None:
    """Return the joints of some bodies with rigid ones, stable for a step, s; ``None`` without any."""
    rate, ties = STABLE / step**2, []
    for joint in colliders.joints:
        if joint.row in shots:
            shot, body = shots[joint.row], bodies[joint.row]
            inside = np.flatnonzero(shot.mesh.mass > 0.0)
            found = ties_of(
                joint,
                body,
                shot.mesh.rest[inside],
                shot.size,
                shot.material.young_modulus,
                rate * shot.mesh.mass[inside],
            )
            ties.append(found._replace(rows=np.full(len(found.nodes), joint.row), nodes=inside[found.nodes]))
    return RigidJoints(ties, colliders, rate) if ties else None


def _facing(glue: Glue | Bond, sides: Sequence[Shot], bodies: Sequence[Body]) -> tuple[Facing, float]:
    """Return the area over which two bodies face each other, and the size of their smaller elements, m."""
    size = min(shot.size for shot in sides)
    return contact_area(bodies[glue.first].surface, bodies[glue.second].surface, glue.distance, size), size


def _ties(
    glue: Glue | Bond,
    sides: Sequence[Shot],
    area: Facing,
    stiffness: np.ndarray,
    strength: float | np.ndarray,
    width: float = 0.0,
) -> Ties:
    """Return the ties of two bodies over an area; see ``Ties`` for stiffness, strength and width."""
    rows, meshes = (glue.first, glue.second), [shot.mesh for shot in sides]
    return Ties(rows, meshes, area, stiffness, strength, min(shot.step for shot in sides), width)
