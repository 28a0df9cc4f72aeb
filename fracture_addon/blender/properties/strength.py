"""How the strength goes from place to place."""

from __future__ import annotations

from ...core.data.job import Settings
from .material import scaled
from .overridable import EnumProperty, FloatProperty

DEFAULTS = Settings()

NOISE_ITEMS = (
    ("LAYERED", "Layered", "Smooth noise of several sizes"),
    ("SMOOTH", "Smooth", "Smooth noise of one size"),
    ("TURBULENCE", "Turbulence", "Weak along creases"),
    ("THRESHOLDED", "Thresholded", "Weak along creases of the width that the threshold gives, even elsewhere"),
)


class StrengthProperties:
    """Of an object's settings, those of its strength and weight from place to place."""

    noise_kind: EnumProperty(name="Kind", description="What the noise is like", items=NOISE_ITEMS)
    noise: FloatProperty(
        name="Noise",
        description="Noise in the strength: its amplitude over the strength",
        default=DEFAULTS.noise,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    noise_size: FloatProperty(
        name="Noise Size",
        description="Wavelength of the noise over the object's diagonal",
        default=DEFAULTS.noise_size,
        min=0.001,
        max=10.0,
        soft_min=0.02,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    noise_threshold: FloatProperty(
        name="Threshold",
        description="Below this, over the mean, a thresholded turbulence is weak",
        default=DEFAULTS.noise_threshold,
        min=0.0,
        max=3.0,
        precision=2,
        step=1,
    )
    area_exponent: FloatProperty(
        name="Area Power",
        description="Strength goes with this power of the area that two cells share; 0 for none",
        default=DEFAULTS.area_exponent,
        min=-2.0,
        max=2.0,
        precision=2,
        step=1,
    )
    volume_exponent: FloatProperty(
        name="Volume Power",
        description="Strength goes with this power of the volume of the cells; 0 for none",
        default=DEFAULTS.volume_exponent,
        min=-2.0,
        max=2.0,
        precision=2,
        step=1,
    )
    tempering: FloatProperty(
        name="Tempering (Pa)",
        description="Compression of the surface that the core holds, in pascals; with full bonds and finite elements",
        default=DEFAULTS.tempering,
        min=0.0,
        max=5e8,
    )
    tempering_mpa: scaled(
        "tempering",
        1e6,
        "Tempering (MPa)",
        "Compression of the surface that the core's tension holds, in megapascals; with full bonds, finite elements. "
        "Toughened glass has about 100",
        200.0,
    )
    separation_force: FloatProperty(
        name="Separation Force (N)",
        description="Force that pulls a node apart, in newtons, as O'Brien and Hodgins print it; it makes finer cells "
        "stronger. 0: the material's strength and toughness, which do not. With finite elements",
        default=DEFAULTS.separation_force,
        min=0.0,
        soft_max=1e5,
        precision=1,
    )
    density_noise: FloatProperty(
        name="Density Noise",
        description="Noise in the density: its amplitude over the density. The mass stays as it is",
        default=DEFAULTS.density_noise,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
