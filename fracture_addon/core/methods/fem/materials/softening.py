"""A softer material that breaks at the same energies: larger steps, and motion that is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....data.material import Material


def softened(material: Material, softening: float, threshold: float = 1.0) -> Material:
    """The same with a stiffness divided by ``softening``, and limits that follow: energies at them stay.

    Stress at a given energy goes with the root of the stiffness, strain with one over it.

    Args:
        material: As it is.
        softening: 1 and up.
        threshold: Further factor to what it bears before it cracks.
    """
    root = float(np.sqrt(softening))
    return replace(
        material,
        young_modulus=material.young_modulus / softening,
        tensile_strength=threshold * material.tensile_strength / root,
        compressive_strength=threshold * material.compressive_strength / root,
        toughness=threshold * material.toughness / root,
        yield_strength=material.yield_strength / root,
        hardening=material.hardening / softening,
        plastic_limit=min(material.plastic_limit * root, 10.0),
    )
