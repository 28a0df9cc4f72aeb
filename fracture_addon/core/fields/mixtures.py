"""Values of the cells and bonds of one material in a solid of several."""

from __future__ import annotations

import numpy as np

from ..data.material import Material
from ..data.mixture import NO_JOINT, Mixture, Part
from ..data.settings.settings import ModelSettings
from ..data.solid import SolidModel
from .strength import bond_sizes, bond_strengths, cell_densities, size_effect


def mixture_inside(solid: SolidModel, material: Material, settings: ModelSettings, part: int = 0) -> Mixture:
    """Return the values of the cells and faces of one object.

    Args:
        solid: Its cells.
        material: Its material.
        settings: Settings of its model; those of strength and density are used.
        part: Number of the object among bonded ones: equal objects get different scatter.

    Returns:
        The values, without joints to other objects.
    """
    count = solid.face_count
    return Mixture(
        densities=material.density * cell_densities(solid, settings),
        strengths=bond_strengths(solid, material, settings, part),
        young_moduli=np.full(count, material.young_modulus),
        shear_moduli=np.full(count, material.shear_modulus),
        compression_factors=np.full(count, material.crushing_strength / material.tensile_strength),
        size_effects=size_effect(material, bond_sizes(solid)),
        joints=np.full(count, NO_JOINT, np.int32),
        layers=np.full((count, 2), np.inf),
        part_of_cell=np.zeros(solid.cell_count, np.int32),
        parts=(Part(material, settings),),
    )
