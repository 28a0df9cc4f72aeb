"""What an object is made of.

Values are stored in SI units under the names that ``core`` uses. Moduli and strengths have a second property in
giga- or megapascals, which only shows the first: Blender has no unit of pressure, and 70000000000 is no number to read.
Hard limits are few on purpose: a preset with a nonsense value must be refused by ``core.data.material``, not clamped.
"""

from __future__ import annotations

from ...core.data.job import Settings
from ...core.data.material import PORCELAIN
from .overridable import FloatProperty, FloatVectorProperty, StringProperty

DEFAULTS = Settings()


def scaled(stored: str, unit: float, name: str, description: str, soft_max: float):
    """A property that shows ``stored`` in multiples of ``unit``; it keeps nothing of its own."""

    def read(group):
        return getattr(group, stored) / unit

    def write(group, value):
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
    """Of an object's settings, those of its material."""

    material_name: StringProperty(
        name="Material", description="Name of the material, as messages call it", default=PORCELAIN.name
    )
    density: FloatProperty(
        name="Density (kg/m³)",
        description="Mass of a cubic metre, in kilograms",
        default=PORCELAIN.density,
        soft_min=100.0,
        soft_max=10_000.0,
        precision=0,
        step=1000,
    )
    young_modulus: FloatProperty(
        name="Young's Modulus (Pa)",
        description="Stiffness: stress over strain, in pascals",
        default=PORCELAIN.young_modulus,
    )
    young_modulus_gpa: scaled(
        "young_modulus", 1e9, "Young's Modulus (GPa)", "Stiffness: stress over strain, in gigapascals", 200.0
    )
    poisson_ratio: FloatProperty(
        name="Poisson's Ratio",
        description="How much it narrows sideways when stretched, over how much it stretches: 0 to below 0.5",
        default=PORCELAIN.poisson_ratio,
        soft_min=0.0,
        soft_max=0.45,
        precision=2,
        step=1,
    )
    tensile_strength: FloatProperty(
        name="Tensile Strength (Pa)",
        description="Pull that breaks it, in pascals; across the grain where there is one",
        default=PORCELAIN.tensile_strength,
    )
    tensile_strength_mpa: scaled(
        "tensile_strength",
        1e6,
        "Tensile Strength (MPa)",
        "Pull that breaks it, in megapascals; across the grain where there is one",
        200.0,
    )
    compressive_strength: FloatProperty(
        name="Compressive Strength (Pa)",
        description="Pressure that crushes it, in pascals",
        default=PORCELAIN.compressive_strength,
    )
    compressive_strength_mpa: scaled(
        "compressive_strength", 1e6, "Compressive Strength (MPa)", "Pressure that crushes it, in megapascals", 1000.0
    )
    toughness: FloatProperty(
        name="Toughness (Pa √m)",
        description="Critical stress intensity, in pascal square-root metres",
        default=PORCELAIN.toughness,
    )
    toughness_mpa: scaled(
        "toughness",
        1e6,
        "Toughness (MPa √m)",
        "How hard it is for a crack to go on: the critical stress intensity, in megapascal square-root metres",
        10.0,
    )
    yield_strength: FloatProperty(
        name="Yield Strength (Pa)",
        description="Stress at which it begins to flow, in pascals; 0 for what breaks first. With finite elements",
        default=PORCELAIN.yield_strength,
    )
    yield_strength_mpa: scaled(
        "yield_strength",
        1e6,
        "Yield Strength (MPa)",
        "Stress at which it begins to flow, in megapascals; 0 for what breaks first. With finite elements",
        500.0,
    )
    hardening: FloatProperty(
        name="Hardening (Pa)",
        description="How much the yield strength rises a unit of plastic strain, in pascals",
        default=PORCELAIN.hardening,
    )
    hardening_mpa: scaled(
        "hardening",
        1e6,
        "Hardening (MPa)",
        "How much the yield strength rises a unit of plastic strain, in megapascals",
        1000.0,
    )
    plastic_limit: FloatProperty(
        name="Plastic Limit",
        description="Plastic strain at which it flows no more",
        default=PORCELAIN.plastic_limit,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    strength_variation: FloatProperty(
        name="Strength Variation",
        description="Spread of the strength from place to place over its mean; 0 for uniform. "
        "About 1.2 over the Weibull modulus",
        default=PORCELAIN.strength_variation,
        soft_min=0.0,
        soft_max=0.5,
        precision=2,
        step=1,
    )
    grain_strength_ratio: FloatProperty(
        name="Grain Strength Ratio",
        description="Strength along the grain over strength across it; 1 for no grain",
        default=PORCELAIN.grain_strength_ratio,
        soft_min=1.0,
        soft_max=50.0,
        precision=1,
    )
    grain: FloatVectorProperty(
        name="Grain",
        description="Direction along which a grained material is strong, in world axes on the first frame",
        default=tuple(DEFAULTS.grain),
        subtype="XYZ",
        size=3,
    )
    friction: FloatProperty(
        name="Friction",
        description="Coulomb coefficient of the object and its pieces",
        default=PORCELAIN.friction,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    restitution: FloatProperty(
        name="Bounciness",
        description="Speed after a bounce over speed before: 0 to 1",
        default=PORCELAIN.restitution,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
