"""Material settings.

Values are stored in SI units under the names that ``core`` uses. Moduli and strengths have a second property, which
shows the same value in GPa or MPa, because Blender has no unit of pressure and 70000000000 is hard to read.
Few properties have hard limits: ``core.data.material`` must refuse a preset with an invalid value, and Blender would
silently clamp it.
"""

from __future__ import annotations

from typing import Any

from ...core.data.job import Settings
from ...core.data.material import PORCELAIN
from .overridable import FloatProperty, FloatVectorProperty, StringProperty

DEFAULTS = Settings()


def scaled(stored: str, unit: float, name: str, description: str, soft_max: float) -> Any:
    """Create a property that reads and writes the property ``stored`` in multiples of ``unit``."""

    def read(group: Any) -> float:
        return getattr(group, stored) / unit

    def write(group: Any, value: float) -> None:
        setattr(group, stored, value * unit)

    return FloatProperty(
        name=name,
        description=description,
        get=read,
        set=write,
        soft_min=0.0,
        soft_max=soft_max,
        precision=2,
        options={"SKIP_SAVE"},
    )


class MaterialProperties:
    """Settings of an object for its material."""

    material_name: StringProperty(
        name="Material", description="Name of the material. Messages use it", default=PORCELAIN.name
    )
    density: FloatProperty(
        name="Density (kg/m³)",
        description="Mass per volume, in kg/m³. Heavier objects hit harder",
        default=PORCELAIN.density,
        soft_min=100.0,
        soft_max=10_000.0,
        precision=0,
        step=1000,
    )
    young_modulus: FloatProperty(
        name="Young's Modulus (Pa)",
        description="Stiffness: stress divided by strain, in Pa",
        default=PORCELAIN.young_modulus,
    )
    young_modulus_gpa: scaled(
        "young_modulus", 1e9, "Young's Modulus (GPa)", "Stiffness: stress divided by strain, in GPa", 200.0
    )
    poisson_ratio: FloatProperty(
        name="Poisson's Ratio",
        description="Sideways contraction divided by stretch, 0 to 0.49. Most solids have 0.2 to 0.35",
        default=PORCELAIN.poisson_ratio,
        soft_min=0.0,
        soft_max=0.45,
        precision=2,
        step=1,
    )
    tensile_strength: FloatProperty(
        name="Tensile Strength (Pa)",
        description="Tensile stress at which the material breaks, in Pa; with grain, across the grain",
        default=PORCELAIN.tensile_strength,
    )
    tensile_strength_mpa: scaled(
        "tensile_strength",
        1e6,
        "Tensile Strength (MPa)",
        "Tensile stress at which the material breaks, in MPa; with grain, across the grain. "
        "Lower it so that the object breaks more easily",
        200.0,
    )
    compressive_strength: FloatProperty(
        name="Compressive Strength (Pa)",
        description="Compressive stress at which the material is crushed, in Pa",
        default=PORCELAIN.compressive_strength,
    )
    compressive_strength_mpa: scaled(
        "compressive_strength",
        1e6,
        "Compressive Strength (MPa)",
        "Compressive stress at which the material is crushed, in MPa",
        1000.0,
    )
    toughness: FloatProperty(
        name="Toughness (Pa √m)",
        description="Resistance to crack growth: critical stress intensity K_IC, in Pa √m",
        default=PORCELAIN.toughness,
    )
    toughness_mpa: scaled(
        "toughness",
        1e6,
        "Toughness (MPa √m)",
        "Resistance to crack growth: critical stress intensity K_IC, in MPa √m. Lower it for longer cracks",
        10.0,
    )
    yield_strength: FloatProperty(
        name="Yield Strength (Pa)",
        description="Stress at which plastic flow begins, in Pa. 0 for brittle materials. Only for finite elements",
        default=PORCELAIN.yield_strength,
    )
    yield_strength_mpa: scaled(
        "yield_strength",
        1e6,
        "Yield Strength (MPa)",
        "Stress at which plastic flow begins, in MPa. 0 for brittle materials. Only for finite elements",
        500.0,
    )
    hardening: FloatProperty(
        name="Hardening (Pa)",
        description="Increase of the yield strength per unit of plastic strain, in Pa",
        default=PORCELAIN.hardening,
    )
    hardening_mpa: scaled(
        "hardening",
        1e6,
        "Hardening (MPa)",
        "Increase of the yield strength per unit of plastic strain, in MPa. 0: constant yield strength",
        1000.0,
    )
    plastic_limit: FloatProperty(
        name="Plastic Limit",
        description="Plastic strain at which plastic flow ends. Raise it for ductile materials",
        default=PORCELAIN.plastic_limit,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    strength_variation: FloatProperty(
        name="Strength Variation",
        description="Standard deviation of the strength as a fraction of its mean; 0 for uniform strength. "
        "About 1.2 divided by the Weibull modulus. Raise it for irregular cracks",
        default=PORCELAIN.strength_variation,
        soft_min=0.0,
        soft_max=0.5,
        precision=2,
        step=1,
    )
    grain_strength_ratio: FloatProperty(
        name="Grain Strength Ratio",
        description="Strength along the grain divided by strength across it. 1 for materials without grain",
        default=PORCELAIN.grain_strength_ratio,
        soft_min=1.0,
        soft_max=50.0,
        precision=1,
    )
    grain: FloatVectorProperty(
        name="Grain",
        description="Direction of the grain, in which the material is strong, in world space on the first frame",
        default=tuple(DEFAULTS.grain),
        subtype="XYZ",
        size=3,
    )
    friction: FloatProperty(
        name="Friction",
        description="Coulomb friction coefficient of the object and its pieces",
        default=PORCELAIN.friction,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    restitution: FloatProperty(
        name="Bounciness",
        description="Speed after a bounce divided by the speed before, 0 to 1",
        default=PORCELAIN.restitution,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
