"""Settings for the variation of strength and density within an object."""

from __future__ import annotations

from ...core.data.job import Settings
from .material import scaled
from .overridable import EnumProperty, FloatProperty

DEFAULTS = Settings()

NOISE_ITEMS = (
    ("LAYERED", "Layered", "Smooth noise with several wavelengths"),
    ("SMOOTH", "Smooth", "Smooth noise with one wavelength"),
    ("TURBULENCE", "Turbulence", "Weak along creases"),
    ("THRESHOLDED", "Thresholded", "Weak along creases and uniform elsewhere. Threshold sets the width of the creases"),
)


class StrengthProperties:
    """Settings of an object for the variation of its strength and density."""

    noise_kind: EnumProperty(name="Kind", description="Kind of noise in the strength", items=NOISE_ITEMS)
    noise: FloatProperty(
        name="Noise",
        description="Amplitude of the noise, as a fraction of the strength. Raise it for irregular cracks; 0 for none",
        default=DEFAULTS.noise,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    noise_size: FloatProperty(
        name="Noise Size",
        description="Wavelength of the noise, as a fraction of the object's diagonal. "
        "Raise it for larger weak and strong regions",
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
        description="The object is weak where the turbulence is below this multiple of its mean. "
        "Raise it for wider creases",
        default=DEFAULTS.noise_threshold,
        min=0.0,
        max=3.0,
        precision=2,
        step=1,
    )
    area_exponent: FloatProperty(
        name="Area Power",
        description="Exponent: strength is proportional to this power of the area that two cells share. "
        "0 for no effect",
        default=DEFAULTS.area_exponent,
        min=-2.0,
        max=2.0,
        precision=2,
        step=1,
    )
    volume_exponent: FloatProperty(
        name="Volume Power",
        description="Exponent: strength is proportional to this power of the cells' volume. 0 for no effect",
        default=DEFAULTS.volume_exponent,
        min=-2.0,
        max=2.0,
        precision=2,
        step=1,
    )
    tempering: FloatProperty(
        name="Tempering (Pa)",
        description="Compressive stress at the surface, in Pa, balanced by tension in the core. "
        "Only for full bonds and finite elements",
        default=DEFAULTS.tempering,
        min=0.0,
        max=5e8,
    )
    tempering_mpa: scaled(
        "tempering",
        1e6,
        "Tempering (MPa)",
        "Compressive stress at the surface, in MPa, balanced by tension in the core. "
        "Toughened glass has about 100; 0 for none. Only for full bonds and finite elements",
        200.0,
    )
    separation_force: FloatProperty(
        name="Separation Force (N)",
        description="Force that splits a node, in N, as in O'Brien and Hodgins 1999; smaller elements become stronger. "
        "0: use the material's strength and toughness, which do not depend on the element size. "
        "Only for finite elements",
        default=DEFAULTS.separation_force,
        min=0.0,
        soft_max=1e5,
        precision=1,
    )
    density_noise: FloatProperty(
        name="Density Noise",
        description="Amplitude of noise in the density, as a fraction of the density. "
        "The total mass stays the same. Raise it for uneven materials",
        default=DEFAULTS.density_noise,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
