"""Settings for the strength and density of a body, and how they vary within it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import frozen
from ..errors import SettingsError
from ..placed_fields import MOST_STRESS, Alternation, CleavingPlane, GrainDirection, PaintedField, Region, WeakSheet
from .setting import Group, setting

ONLY_FULL = "Only for the methods Finite Elements and Network with full bonds"


@dataclass(frozen=True)
class StrengthSettings(Group):
    """Strength and density within a body.

    Attributes:
        grain: (3,) direction of the grain in rest space, any length.
        grains: Grain directions at points, interpolated between them; if empty, ``grain`` applies everywhere.
        planes: Planes along which the body splits.
        sheets: Drawn surfaces along which the body splits.
        regions: Regions of another strength, density or prior stress.
        alternations: Layers of changing strength.
        painted_strength, painted_second_strength, painted_density: Factors painted on the surface, or ``None``.
        painted_stress: Shares of ``prior_stress`` painted on the surface, or ``None``; its factor has no effect.
    """

    noise: float = setting(
        0.25,
        "Noise",
        "Random variation of the strength within the object: amplitude as a fraction of the strength. Raise it for "
        "irregular cracks; 0 for none",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    noise_kind: str = setting(
        "layered",
        "Noise Type",
        "Kind of noise in the strength (Perlin 1985). Choose one with creases for objects that break along veins",
        choices=(
            ("layered", "Layered", "Smooth noise with several wavelengths"),
            ("smooth", "Smooth", "Smooth noise with one wavelength"),
            ("turbulence", "Turbulence", "Weak along creases"),
            (
                "thresholded",
                "Thresholded",
                "Weak along creases and uniform elsewhere. Noise Threshold sets the width of the creases",
            ),
        ),
    )
    noise_size: float = setting(
        0.15,
        "Noise Size",
        "Wavelength of the noise, as a fraction of the object's diagonal. Raise it for larger weak and strong regions",
        low=0.001,
        high=10.0,
        soft=(0.02, 1.0),
        precision=2,
        step=1,
    )
    noise_threshold: float = setting(
        0.5,
        "Noise Threshold",
        "The object is weak where the turbulence is below this multiple of its mean. Raise it for wider creases. "
        "Only for thresholded noise",
        low=0.0,
        high=3.0,
        precision=2,
        step=1,
    )
    area_exponent: float = setting(
        0.0,
        "Area Exponent",
        "Strength is proportional to this power of the area that two cells share. 0 for no effect. "
        "Raise it so that cracks prefer small faces. Only for the method Network",
        low=-2.0,
        high=2.0,
        precision=2,
        step=1,
    )
    volume_exponent: float = setting(
        0.0,
        "Volume Exponent",
        "Strength is proportional to this power of the cells' volume. 0 for no effect. "
        "Raise it so that cracks prefer small cells. Only for the method Network",
        low=-2.0,
        high=2.0,
        precision=2,
        step=1,
    )
    density_noise: float = setting(
        0.0,
        "Density Noise",
        "Amplitude of noise in the density, as a fraction of the density. "
        "The total mass stays the same. Raise it for uneven materials. Only for the method Network",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    tempering: float = setting(
        0.0,
        "Tempering",
        f"Compressive stress at the surface, in Pa, balanced by tension in the core. {ONLY_FULL}",
        low=0.0,
        high=5e8,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Compressive stress at the surface, in MPa, balanced by tension in the core. "
        "Toughened glass has about 100; 0 for none. Finite elements need three or four cells through the wall. "
        f"{ONLY_FULL}",
        scaled_soft_high=200.0,
    )
    prior_stress: float = setting(
        0.0,
        "Prior Stress",
        "Stress of the object without a load at full paint, in Pa, where its surroundings do not give way. Above 0: "
        "tension. Only for the methods Network and Finite Elements",
        low=-MOST_STRESS,
        high=MOST_STRESS,
        unit="Pa",
        scaled=("MPa", 1e6),
        scaled_description="Stress of the object without a load at full paint, in MPa, where its surroundings do not "
        "give way. Above 0, the painted places pull and break early, like clay that dried fast; below 0 they press. "
        "Only for the methods Network and Finite Elements",
        scaled_soft_high=100.0,
    )
    film_thickness: float = setting(
        0.0,
        "Film Thickness",
        "Thickness of the plastic film between the panes of laminated glass, in m; 0 for none. "
        "Cracked pieces stay together until the film tears. Only for the method Network with full bonds",
        low=0.0,
        high=0.1,
        soft=(None, 0.005),
        unit="m",
        precision=5,
        step=0.01,
    )
    bar_diameter: float = setting(
        0.0,
        "Bar Diameter",
        "Diameter of the steel bars (rebar) in concrete, in m; 0 for none. "
        "Pieces that a bar crosses stay together until the bar breaks. "
        "The bars run along the grain and along the other long sides. Only for the method Network with full bonds",
        low=0.0,
        high=0.1,
        soft=(None, 0.04),
        unit="m",
        precision=4,
        step=0.1,
    )
    bar_spacing: float = setting(
        0.15,
        "Bar Spacing",
        "Largest distance between steel bars, in m. Lower it so that smaller pieces stay together",
        low=0.01,
        high=100.0,
        soft=(0.05, 0.5),
        unit="m",
        precision=3,
        step=1,
    )
    grain: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    grains: tuple[GrainDirection, ...] = ()
    planes: tuple[CleavingPlane, ...] = ()
    sheets: tuple[WeakSheet, ...] = ()
    regions: tuple[Region, ...] = ()
    alternations: tuple[Alternation, ...] = ()
    painted_strength: PaintedField | None = None
    painted_second_strength: PaintedField | None = None
    painted_density: PaintedField | None = None
    painted_stress: PaintedField | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        grain = frozen(self.grain, np.float64, 3)
        if not 0.0 < np.linalg.norm(grain) < np.inf:
            raise SettingsError(f"Grain (grain) is {grain.tolist()}; set a direction, for example 0, 0, 1")
        object.__setattr__(self, "grain", grain)
