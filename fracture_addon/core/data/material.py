"""Material of an object, in SI units."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from .errors import SettingsError
from .settings.setting import Group, setting

# Compressive strength over tensile strength where none is set (Smith et al. 2001, section 3.1).
COMPRESSION_FACTOR = 8.0


@dataclass(frozen=True)
class Material(Group):
    """A linear elastic solid that breaks, or yields before it breaks. Defaults are those of porcelain.

    Attributes:
        name: Name of the material, for messages.

    Example:
        >>> glass = Material("Glass", 2500.0, 70e9, 0.25, 40e6, 1e9, 0.8e6)
        >>> glass.shear_modulus, round(glass.material_length, 6)
        (28000000000.0, 0.0004)
    """

    name: str
    density: float = setting(
        2400.0,
        "Density",
        "Mass per volume, in kg/m³. Heavier objects hit harder",
        low=1.0,
        high=3e4,
        soft=(100.0, 10_000.0),
        clamped=False,
        unit="kg/m³",
        precision=0,
        step=1000,
    )
    young_modulus: float = setting(
        70e9,
        "Young's Modulus",
        "Stiffness: stress divided by strain, in Pa; with grain, along the grain",
        low=1e3,
        high=2e12,
        clamped=False,
        unit="Pa",
        scaled=("GPa", 1e9),
        scaled_description="Stiffness: stress divided by strain, in GPa; with grain, along the grain. "
        "Lower it for objects that bend more",
        scaled_soft_high=200.0,
    )
    poisson_ratio: float = setting(
        0.22,
        "Poisson's Ratio",
        "Sideways contraction divided by elongation, 0 to 0.49. Most solids have 0.2 to 0.35",
        low=0.0,
        high=0.49,
        soft=(0.0, 0.45),
        clamped=False,
        precision=2,
        step=1,
    )
    tensile_strength: float = setting(
        40e6,
        "Tensile Strength",
        "Tensile stress at which the material breaks, in Pa; with grain, across the grain",
        low=1.0,
        high=1e11,
        clamped=False,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Tensile stress at which the material breaks, in MPa; with grain, across the grain. "
        "Lower it so that the object breaks more easily",
        scaled_soft_high=200.0,
    )
    compressive_strength: float = setting(
        500e6,
        "Compressive Strength",
        "Compressive stress at which the material is crushed, in Pa. 0: eight times the tensile strength",
        low=0.0,
        high=1e12,
        clamped=False,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Compressive stress at which the material is crushed, in MPa. "
        "0: eight times the tensile strength. Lower it for more crushing at impacts",
        scaled_soft_high=1000.0,
    )
    toughness: float = setting(
        1.1e6,
        "Toughness",
        "Resistance to crack growth: critical stress intensity K_IC, in Pa √m",
        low=1.0,
        high=1e9,
        clamped=False,
        unit="Pa √m",
        scaled=("MPa √m", 1e6),
        scaled_description="Resistance to crack growth: critical stress intensity K_IC, in MPa √m. "
        "Lower it for longer cracks",
        scaled_soft_high=10.0,
    )
    strength_variation: float = setting(
        0.15,
        "Strength Variation",
        "Standard deviation of the strength as a fraction of its mean; 0 for uniform strength. "
        "About 1.2 divided by the Weibull modulus. Raise it for irregular cracks",
        low=0.0,
        high=1.0,
        soft=(0.0, 0.5),
        clamped=False,
        precision=2,
        step=1,
    )
    grain_strength_ratio: float = setting(
        1.0,
        "Grain Strength Ratio",
        "Strength along the grain divided by strength across it. 1 for materials without grain",
        low=1.0,
        high=1000.0,
        soft=(1.0, 50.0),
        clamped=False,
        precision=1,
    )
    grain_stiffness_ratio: float = setting(
        0.0,
        "Grain Stiffness Ratio",
        "Young's modulus along the grain divided by the one across it. 0: half of Grain Strength Ratio, but at least 1",
        low=0.0,
        high=1000.0,
        soft=(0.0, 30.0),
        clamped=False,
        precision=1,
    )
    friction: float = setting(
        0.6,
        "Friction",
        "Coulomb friction coefficient of the object and its pieces; colliders have that of their Blender rigid body. "
        "Raise it so that pieces slide less",
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        clamped=False,
        precision=2,
        step=1,
    )
    restitution: float = setting(
        0.1,
        "Bounciness",
        "Speed after a bounce divided by the speed before, 0 to 1. Lower it so that pieces rest sooner",
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        clamped=False,
        precision=2,
        step=1,
    )
    yield_strength: float = setting(
        0.0,
        "Yield Strength",
        "Von Mises stress at which plastic flow begins, across the grain, in Pa. 0 for brittle materials. Below the "
        "tensile strength, impacts dent the object with the method Network, and the object breaks at the "
        "energy that the flow takes",
        low=0.0,
        high=1e11,
        clamped=False,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Von Mises stress at which plastic flow begins, across the grain, in MPa. 0 for brittle "
        "materials. Lower it for objects that dent. Below the tensile strength, impacts dent the object with the "
        "method Network, and the object breaks at the energy that the flow takes",
        scaled_soft_high=500.0,
    )
    hardening: float = setting(
        0.0,
        "Hardening",
        "Increase of the yield strength per unit of plastic strain, in Pa",
        low=0.0,
        high=1e12,
        clamped=False,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Increase of the yield strength per unit of plastic strain, in MPa. "
        "0: constant yield strength. Raise it so that dents spread",
        scaled_soft_high=1000.0,
    )
    plastic_limit: float = setting(
        0.2,
        "Plastic Limit",
        "Plastic strain at which plastic flow ends. Raise it for ductile materials",
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        clamped=False,
        precision=2,
        step=1,
    )
    thermal_expansion: float = setting(
        5e-6,
        "Thermal Expansion",
        "Strain per kelvin, in 1/K. Only a thermal shock uses it",
        low=0.0,
        high=1e-3,
        clamped=False,
        unit="1/K",
        scaled=("ppm per K", 1e-6),
        scaled_description="Strain per kelvin, in millionths (10⁻⁶/K). Only a thermal shock uses it. "
        "Raise it so that the object breaks at a smaller temperature difference",
        scaled_soft_high=50.0,
    )
    thermal_conductivity: float = setting(
        1.5,
        "Thermal Conductivity",
        "Heat flow per area and temperature gradient, in W/(m K). Only a thermal shock uses it. "
        "Raise it so that heat spreads faster and the object withstands more",
        low=1e-3,
        high=1e4,
        soft=(0.1, 500.0),
        clamped=False,
        unit="W/(m K)",
        precision=2,
        step=10,
    )
    specific_heat: float = setting(
        1000.0,
        "Specific Heat",
        "Heat that warms a kilogram by one kelvin, in J/(kg K). Only a thermal shock uses it. "
        "It changes how soon the object breaks, not the temperature at which it does",
        low=1.0,
        high=1e5,
        soft=(100.0, 5000.0),
        clamped=False,
        unit="J/(kg K)",
        precision=0,
        step=1000,
    )
    dilation_damping: float = setting(
        0.0,
        "Volume Damping",
        "Viscosity against changes of volume, in Pa s. If both dampings are 0, the cell size determines them. "
        "Raise it so that waves decay sooner",
        low=0.0,
        high=1e9,
        soft=(0.0, 1e5),
        clamped=False,
        unit="Pa s",
        precision=1,
        step=10_000,
    )
    rigidity_damping: float = setting(
        0.0,
        "Shear Damping",
        "Viscosity against changes of shape, in Pa s. If both dampings are 0, the cell size determines them. "
        "Raise it so that vibrations decay sooner",
        low=0.0,
        high=1e9,
        soft=(0.0, 1e5),
        clamped=False,
        unit="Pa s",
        precision=1,
        step=10_000,
    )

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except SettingsError as error:
            raise SettingsError(f"Material '{self.name}': {error}") from None

    @property
    def shear_modulus(self) -> float:
        """Shear modulus G = E / (2 (1 + nu)), Pa."""
        return self.young_modulus / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def first_lame(self) -> float:
        """Lame's first constant lambda = E nu / ((1 + nu) (1 - 2 nu)), Pa; the second one is the shear modulus."""
        nu = self.poisson_ratio
        return self.young_modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))

    @property
    def damping_time(self) -> float:
        """Viscosity over stiffness in a bar under tension, s; 0 where no damping is set.

        A bar with the strain rate e dissipates the power phi (1 - 2 nu)^2 e^2 + 2 psi (1 + 2 nu^2) e^2 per volume, with
        the volume damping phi and the shear damping psi. With Lame's constants lambda and mu in place of phi and psi,
        the factor of e^2 is Young's modulus.

        Notes:
            O'Brien and Hodgins 1999, equation 8, for the strain of a bar.

        Example:
            Dampings in proportion to Lame's constants: the factor of proportion comes back.

            >>> stiff = Material("Glass", young_modulus=70e9, poisson_ratio=0.2)
            >>> phi, psi = 1e-6 * stiff.first_lame, 1e-6 * stiff.shear_modulus
            >>> damped = replace(stiff, dilation_damping=phi, rigidity_damping=psi)
            >>> round(1e6 * damped.damping_time, 9)
            1.0
        """
        nu = self.poisson_ratio
        viscosity = self.dilation_damping * (1.0 - 2.0 * nu) ** 2 + 2.0 * self.rigidity_damping * (1.0 + 2.0 * nu**2)
        return viscosity / self.young_modulus

    @property
    def rayleigh_speed(self) -> float:
        """Speed of surface waves, m/s: that of shear waves times (0.862 + 1.14 nu) / (1 + nu) (Viktorov 1967)."""
        nu = self.poisson_ratio
        return math.sqrt(self.shear_modulus / self.density) * (0.862 + 1.14 * nu) / (1.0 + nu)

    @property
    def material_length(self) -> float:
        """Length (K_IC / strength)^2, m. Cells larger than it break by the toughness, not by the strength."""
        return (self.toughness / self.tensile_strength) ** 2

    @property
    def crushing_strength(self) -> float:
        """Compressive strength, Pa: eight times the tensile strength where none is set (Smith et al. 2001, 3.1)."""
        return self.compressive_strength or COMPRESSION_FACTOR * self.tensile_strength

    @property
    def stiffness_ratio(self) -> float:
        """Young's modulus along the grain over the one across it, at least 1.

        Half of the ratio of the strengths where none is set: 12.5 and 27 for pine, 1.5 and 3 for bone (the presets).
        """
        return max(1.0, self.grain_stiffness_ratio or 0.5 * self.grain_strength_ratio)

    @property
    def is_ductile(self) -> bool:
        """Whether the material yields before it breaks."""
        return 0.0 < self.yield_strength < self.tensile_strength

    @property
    def elastic_strength(self) -> float:
        """Tension at which the material breaks in an elastic computation, Pa.

        A ductile material flows first. A computation without flow has to give it the same energy per volume (Molski and
        Glinka 1981): s^2 / 2E = Y^2 / 2E + Y e + H e^2 / 2, with the yield strength Y, the hardening H and the plastic
        strain e at which it breaks.
        """
        if not self.is_ductile:
            return self.tensile_strength
        strain = self.plastic_limit
        if self.hardening > 0.0:
            strain = min(strain, (self.tensile_strength - self.yield_strength) / self.hardening)
        flow = (self.yield_strength + 0.5 * self.hardening * strain) * strain
        return max(self.tensile_strength, math.sqrt(self.yield_strength**2 + 2.0 * self.young_modulus * flow))

    def without_flow(self) -> Material:
        """Return a material that breaks at the same energy per volume, but does not yield.

        Returns:
            The material; itself if it does not yield. See ``elastic_strength``.

        Notes:
            Molski and Glinka 1981, A Method of Elastic-Plastic Stress and Strain Calculation at a Notch Root.

        Example:
            It yields at Y = 100 MPa and flows by e = 0.075 %: s^2 = Y^2 + 2 E Y e = 4 Y^2.

            >>> strengths = {"tensile_strength": 1.5e8, "yield_strength": 1e8, "plastic_limit": 7.5e-4}
            >>> metal = Material("Metal", young_modulus=200e9, **strengths)
            >>> round(metal.without_flow().tensile_strength / 1e6)
            200
        """
        if not self.is_ductile:
            return self
        factor = self.elastic_strength / self.tensile_strength
        return replace(
            self,
            tensile_strength=factor * self.tensile_strength,
            compressive_strength=factor * self.compressive_strength,
            yield_strength=0.0,
        )


PORCELAIN = Material("Porcelain")
FIELD_NAMES = tuple(item.name for item in fields(Material))
