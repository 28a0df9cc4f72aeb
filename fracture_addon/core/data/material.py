"""What an object is made of, in real units."""

from __future__ import annotations

from dataclasses import dataclass, fields

from .errors import SettingsError


@dataclass(frozen=True)
class Material:
    """A linear elastic solid with a strength.

    Attributes:
        name: As the artist sees it.
        density: kg/m3.
        young_modulus: Pa.
        poisson_ratio: 0 to below 0.5.
        tensile_strength: Pa, across the weakest direction of a uniform sample.
        compressive_strength: Pa.
        toughness: Critical stress intensity K_IC, Pa sqrt(m).
        strength_variation: Relative standard deviation of the strength from place to place, 0 for uniform; about
            1.2 / m for a Weibull modulus m.
        grain_strength_ratio: Strength along the grain over strength across it; 1 for no grain.
        friction: Coulomb coefficient of broken pieces, 0 and up.
        restitution: Bounce of broken pieces, 0 to 1.
        yield_strength: Pa, stress (von Mises) at which it begins to flow; 0 for what breaks first. Only finite elements
            flow.
        hardening: Pa by which that rises a unit of plastic strain.
        plastic_limit: Plastic strain (equivalent) at which it flows no more.
    """

    name: str
    density: float
    young_modulus: float
    poisson_ratio: float
    tensile_strength: float
    compressive_strength: float
    toughness: float
    strength_variation: float = 0.15
    grain_strength_ratio: float = 1.0
    friction: float = 0.6
    restitution: float = 0.1
    yield_strength: float = 0.0
    hardening: float = 0.0
    plastic_limit: float = 0.2

    def __post_init__(self):
        for name, low, high in _LIMITS:
            value = getattr(self, name)
            if not low <= value <= high:
                raise SettingsError(f"Material '{self.name}': {name} is {value:g}; set it between {low:g} and {high:g}")

    @property
    def shear_modulus(self) -> float:
        """G = E / 2(1 + nu), Pa."""
        return self.young_modulus / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def material_length(self) -> float:
        """(K_IC / strength)^2, metres: cells larger than this break on energy, not on strength."""
        return (self.toughness / self.tensile_strength) ** 2


_LIMITS = (
    ("density", 1.0, 3e4),
    ("young_modulus", 1e3, 2e12),
    ("poisson_ratio", 0.0, 0.49),
    ("tensile_strength", 1.0, 1e11),
    ("compressive_strength", 1.0, 1e12),
    ("toughness", 1.0, 1e9),
    ("strength_variation", 0.0, 1.0),
    ("grain_strength_ratio", 1.0, 1000.0),
    ("friction", 0.0, 10.0),
    ("restitution", 0.0, 1.0),
    ("yield_strength", 0.0, 1e11),
    ("hardening", 0.0, 1e12),
    ("plastic_limit", 0.0, 10.0),
)

PORCELAIN = Material("Porcelain", 2400.0, 70e9, 0.22, 40e6, 500e6, 1.1e6)
FIELD_NAMES = tuple(item.name for item in fields(Material))
