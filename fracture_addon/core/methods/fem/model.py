"""Constant data of a body of finite elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel
from .advance import automatic_step, curvatures
from .cracks.toughness import as_printed
from .elements import Law, law_of
from .state import from_solid

# Damping ratio of the vibration of a median element, for a material without damping. It damps waves shorter than a few
# elements. With less damping, more breaks where waves meet: two bodies that collide break into 16, 11 and 13 fragments
# at 0.025, 0.05 and 0.1, and an impact breaks a slab into 18, 19 and 19.
DAMPING_RATIO = 0.05


@dataclass(frozen=True)
class Model:
    """Constant data of a body.

    Attributes:
        solid: The uncracked body.
        material: Strength and toughness.
        law: Stiffness and viscosity.
        step: Time step of the explicit integration, s.
    """

    solid: SolidModel
    material: Material
    law: Law
    step: float


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> Model:
    """Choose the time step, the viscosity of a material without damping, and the strength for a separation force."""
    mesh = from_solid(solid, material.density)
    rows = np.flatnonzero(~mesh.ghost)
    if settings.fem.separation_force > 0.0:
        material = as_printed(material, settings.fem.separation_force, float(np.median(mesh.size[rows])))
    curvature, volume = curvatures(mesh, rows), mesh.volume[rows]
    slowest = 1.0 / (law_of(material).wave_speed * np.sqrt(np.median(curvature)))
    law = law_of(material, DAMPING_RATIO * slowest)
    return Model(solid, material, law, automatic_step(law, curvature, volume))


def strength(model: Model, material: Material, settings: ModelSettings) -> float:
    """Return the tensile strength, Pa: the material's, or that of a separation force."""
    return model.material.tensile_strength
