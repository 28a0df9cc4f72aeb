"""Constant data of a body of finite elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel
from .advance import automatic_step, curvatures
from .cracks.toughness import as_printed
from .elements import Law, law_of
from .joints import STEP_SHARE
from .materials.fibres import fibres
from .state import Mesh, Objects, from_solid
from .walls import mesh_with_walls

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
        objects: The objects of a body that joins several; ``None`` for one object.
    """

    solid: SolidModel
    material: Material
    law: Law
    step: float
    objects: Objects | None = None


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> Model:
    """Choose the time step, the viscosity of a material without damping, and the strength for a separation force."""
    if solid.mixture is not None:
        # Only one of the laws has grain: that with the most. Others differ from it in stiffness and density.
        grained = max((part.material for part in solid.mixture.parts), key=lambda item: item.stiffness_ratio)
        material = replace(grained if grained.stiffness_ratio > 1.0 else material, density=material.density)
    law = law_of(material)
    objects = _objects(solid, law)
    mesh = from_solid(solid, material.density, objects=objects)
    rows = np.flatnonzero(~mesh.ghost)
    if settings.fem.separation_force > 0.0:
        material = as_printed(material, settings.fem.separation_force, float(np.median(mesh.size[rows])))
    curvature, volume = curvatures(mesh, rows), mesh.volume[rows]
    slowest = 1.0 / (law.wave_speed * np.sqrt(np.median(curvature)))
    law = law_of(material, DAMPING_RATIO * slowest)
    step = automatic_step(law, curvature, volume)
    return Model(solid, material, law, step if objects is None else STEP_SHARE * step, objects)


def mesh_of(model: Model, settings: ModelSettings) -> Mesh:
    """Return the mesh of a body at rest."""
    grain = fibres(model.solid, model.material, settings)
    return mesh_with_walls(model.solid, model.material.density, fibres=grain, objects=model.objects)


def strength(model: Model, material: Material, settings: ModelSettings) -> float:
    """Return the tensile strength, Pa: the material's, or that of a separation force."""
    return model.material.tensile_strength


def _objects(solid: SolidModel, law: Law) -> Objects | None:
    """Return the objects of a solid that joins several; ``None`` for one object.

    Their factors are relative to the ``law`` of the whole body. The stiffness across the grain counts.
    """
    mixture = solid.mixture
    if mixture is None:
        return None
    rigidities = np.array([law_of(part.material).rigidity for part in mixture.parts])
    return Objects(
        mixture.parts,
        mixture.part_of_cell,
        (rigidities / law.rigidity)[mixture.part_of_cell],
        law.density / mixture.densities,
    )
