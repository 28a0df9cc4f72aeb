"""Softening: lower stiffness at the same fracture energies, for visible deformation and larger time steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....data.material import Material

# Largest plastic strain of a softened material. A brick of metal that is softened 3,000 times keeps its bytes at 5
# and moves 831 instead of 116 mm at 0.1; at 20 it is refused as too soft.
MAX_PLASTIC_LIMIT = 10.0


def softened(material: Material, softening: float, threshold: float = 1.0) -> Material:
    """Return a material with its stiffness divided by ``softening``, and limits at the same energies.

    At a given energy, stress is proportional to the square root of the stiffness, and strain to its inverse.

    Args:
        material: Before softening.
        softening: 1 or more.
        threshold: Further factor on strength and toughness.

    Returns:
        The softened material.

    Notes:
        Own: a crack then costs the same energy. O'Brien and Hodgins 2000 (CACM) reduce the stiffness.

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> soft = softened(PORCELAIN, 100.0)
        >>> PORCELAIN.young_modulus / soft.young_modulus, PORCELAIN.tensile_strength / soft.tensile_strength
        (100.0, 10.0)
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
        # The damping ratio stays: vibrations are slower by the square root of the softening.
        dilation_damping=material.dilation_damping / root,
        rigidity_damping=material.rigidity_damping / root,
        plastic_limit=min(material.plastic_limit * root, MAX_PLASTIC_LIMIT),
    )


def stiffened(material: Material, factor: float) -> Material:
    """Return a material with a multiple of its stiffness and of all stresses, so that limits in strain stay.

    Args:
        material: Before.
        factor: 1 returns the material.

    Returns:
        The stiffer material.

    Notes:
        Own: springs of a lattice whose stiffness is keyed break at the same stretch (Norton et al. 1991, figure 6).

    Example:
        >>> from fracture_addon.core.data.material import PORCELAIN
        >>> stiff = stiffened(PORCELAIN, 3.0)
        >>> [value / 1e9 for value in (stiff.young_modulus, stiff.tensile_strength)]
        [210.0, 0.12]
    """
    strengths = ("tensile_strength", "compressive_strength", "toughness", "yield_strength")
    names = (*strengths, "young_modulus", "hardening", "dilation_damping", "rigidity_damping")
    return replace(material, **{name: factor * getattr(material, name) for name in names})
