"""Capabilities of a method. The panel greys out settings without effect; the timeline warns of them or refuses them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Features that a method supports. A setting of another feature has no effect.

    Attributes:
        deformable: Bodies can deform for the whole shot, with softening, pins and wind.
        thin: Ropes, sheets and shells.
        glue: Deformable bodies can be glued together.
        keyed_stiffness: The stiffness of a deformable body can be keyed.
        checkpoints: A deformable run can continue from a checkpoint.
        self_collision: Parts of a deformable body can collide with one another.
        tempering: Compressive stress of the surface, balanced by tension of the core.
        density: Placed, painted and random density.
        grain: Direction of strength, placed or of the material.
        crack_growth: A break weakens the bonds beside it.
        plasticity: The material yields before it breaks.
        needs_padding: ``build`` needs the cells around a fragment, not only its own.
        locks_in_bending: Walls that are thinner than cells are wide bend too stiffly.
    """

    deformable: bool = False
    thin: bool = False
    glue: bool = False
    keyed_stiffness: bool = False
    checkpoints: bool = False
    self_collision: bool = False
    tempering: bool = False
    density: bool = False
    grain: bool = False
    crack_growth: bool = False
    plasticity: bool = False
    needs_padding: bool = True
    locks_in_bending: bool = False
