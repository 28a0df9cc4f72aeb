"""Kinds of joints between objects, with the material and the thickness of each."""

from __future__ import annotations

from dataclasses import dataclass

from .material import Material


@dataclass(frozen=True)
class JointKind:
    """A kind of joint.

    Attributes:
        description: Tooltip.
        material: Material of the joint. The density has no effect: a joint has no mass.
        thickness: m, thickness of the joint; 0 for the gap between the objects.
    """

    description: str
    material: Material
    thickness: float = 0.0


# Mortar: the material preset "Mortar joint", which names the sources.
# Glue: wood glue of class D3 (EN 204), stiffness and toughness of epoxy resin (Kinloch and Young 1983).
# Nails: one nail of 3 mm, 30 mm deep, for each 5 cm x 5 cm of pine: withdrawal and slip of Eurocode 5, spread over the
# area. The energy is that of pulling the nail out. Weld: filler metal E 42 (EN ISO 2560).
JOINT_KINDS = {
    "mortar": JointKind("Mortar between bricks", Material("Mortar", 1800.0, 3e9, 0.2, 0.2e6, 5e6, 0.1e6, 0.32)),
    "glue": JointKind("Wood glue or epoxy resin", Material("Glue", 1200.0, 3e9, 0.35, 10e6, 80e6, 0.6e6, 0.15)),
    "nails": JointKind(
        "One nail every 5 cm; a weak, flexible joint",
        Material("Nails", 7850.0, 6.3e6, 0.3, 0.09e6, 5e6, 0.09e6, 0.2),
        0.03,
    ),
    "weld": JointKind("Filler metal of a steel weld", Material("Weld", 7850.0, 210e9, 0.3, 500e6, 500e6, 100e6, 0.05)),
}
