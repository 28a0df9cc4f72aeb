"""Capabilities of a method. The panel greys out settings without effect; the timeline warns of them or refuses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Values of ``Material`` for a thermal shock. A method in whose table they have no effect cannot compute one.
THERMAL = "thermal_expansion", "thermal_conductivity", "specific_heat"
# Fields of ``Settings`` and ``Material`` that only some bodies use, with the reason that the panel shows for others.
ONLY_NETWORK = dict.fromkeys(
    (
        "bonds",
        "loading",
        "load_steps",
        "crack_function",
        "crack_growth",
        "crack_sharpness",
        "area_exponent",
        "volume_exponent",
        "film_thickness",
        "bar_diameter",
        "bar_spacing",
        "density_noise",
        "painted_density",
        "own_weight",
        *THERMAL,
    ),
    "Only Network",
)
ONLY_LATTICE = dict.fromkeys(("lattice", "diagonals"), "Only Lattice")
ONLY_DEFORMABLE_LATTICE = dict.fromkeys(("creep", "yield_share", "integrator"), "Only deformable lattices")
ONLY_DEFORMABLE_ELEMENTS = {"time_steps": "Only deformable finite elements"}
ONLY_ELEMENTS = {
    **dict.fromkeys(("contact", "separation_force", "crack_speed", "crack_passes"), "Only Finite Elements"),
    **ONLY_DEFORMABLE_ELEMENTS,
}
NOT_LATTICE = dict.fromkeys(
    ("tempering", "prior_stress", "painted_stress", "impact_schedule", "grain_stiffness_ratio"),
    "Only Network or Finite Elements",
)
NO_VIBRATIONS = dict.fromkeys(("dilation_damping", "rigidity_damping"), "Only Lattice or Finite Elements")
ONLY_DEFORMABLE = dict.fromkeys(("softening", "threshold", "self_collision"), "Only deformable bodies")
ONLY_RIGID = dict.fromkeys(
    (
        "break_depth",
        "chips",
        "painted_dust",
        "restitution",
        "velocity_fit",
        "activation",
        "activation_speed",
        "activation_distance",
        "order",
        "order_start",
        "order_end",
    ),
    "Only rigid bodies",
)


@dataclass(frozen=True)
class Capabilities:
    """Features that a method supports. Settings of other features have no effect.

    Attributes:
        unused_by_rigid, unused_by_deformable: Names of the fields of ``Settings`` and ``Material`` that have no
            effect on rigid and on deformable bodies, each with the reason in a few words.
        unused_by_thin: Further ones of deformable ropes, sheets and shells.
        deformable: Bodies can deform for the whole shot, with softening, keyed stiffness, pins, glue,
            joints with rigid bodies and wind.
        thin: Ropes, sheets and shells.
        plastic: Materials yield and flow. With other methods they stay elastic and break at the same energy per volume.
        dents: Rigid bodies that yield are dented by impacts that do not break them (``Method.dent``).
        needs_padding: ``build`` needs the cells around a fragment, not only its own.
        stretched_cells: Cells of wood are longer along the grain than across it.
        locks_in_bending: Walls thinner than the width of their cells bend too stiffly.
    """

    unused_by_rigid: Mapping[str, str] = field(default_factory=dict)
    unused_by_deformable: Mapping[str, str] = field(default_factory=dict)
    unused_by_thin: Mapping[str, str] = field(default_factory=dict)
    deformable: bool = False
    thin: bool = False
    plastic: bool = False
    dents: bool = False
    needs_padding: bool = True
    stretched_cells: bool = False
    locks_in_bending: bool = False

    def unused(self, *, deforms: bool, thin: bool = False) -> Mapping[str, str]:
        """Return the names of the settings without effect, each with the reason."""
        if not (deforms and self.deformable):
            return self.unused_by_rigid
        return {**self.unused_by_deformable, **(self.unused_by_thin if thin else {})}
