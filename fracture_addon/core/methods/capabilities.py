"""Capabilities of a method. The panel greys out settings without effect; the timeline warns of them or refuses them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Features that a method supports. A setting of another feature has no effect.

    Attributes:
        reads: Names of the fields of ``Settings`` and ``Material`` that the method reads, and that
            not all methods read.
        deformable: Bodies can deform for the whole shot, with softening, pins and wind.
        thin: Ropes, sheets and shells.
        glue: Deformable bodies can be glued together.
        plastic: Materials flow when they yield. With other methods they break at the energy of the flow.
        keyed_stiffness: The stiffness of a deformable body can be keyed.
        checkpoints: A deformable run can continue from a checkpoint.
        needs_padding: ``build`` needs the cells around a fragment, not only its own.
        locks_in_bending: Walls that are thinner than cells are wide bend too stiffly.
    """

    reads: frozenset[str] = frozenset()
    deformable: bool = False
    thin: bool = False
    glue: bool = False
    plastic: bool = False
    keyed_stiffness: bool = False
    checkpoints: bool = False
    needs_padding: bool = True
    locks_in_bending: bool = False
