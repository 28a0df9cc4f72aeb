"""Tables of the settings in each section of the panel, and drawing them.

A control is drawn only if it applies to the object. It is greyed out if another setting disables it, or if it has no
effect with the object's method and dynamics; then a line above it gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import blf
import bpy

from ...core.methods import table
from ...core.methods.capabilities import Capabilities
from ..read import unused_settings

Condition = Callable[[Any], bool]
# Size of Blender's labels, pixels at an interface scale of 1; share of a panel's width for the label beside a value
# (Blender's), and what the panel's margins take of the sidebar, pixels. Measured: labels of 87 pixels fit in a sidebar
# of 280 pixels, and of 91 do not.
LABEL_SIZE, LABEL_SHARE, LABEL_MARGIN = 11.0, 0.4, 57.0


def always(_group: Any) -> bool:
    """Return true: the condition of a control that always applies."""
    return True


def capabilities_of(group: Any) -> Capabilities:
    """Return what the method of an object supports."""
    return table.METHODS[group.method.lower()].capabilities


def reason(group: Any, name: str) -> str:
    """Return why a setting of an object has no effect, in a few words; empty if it has one."""
    return unused_settings.reason(group.id_data, name)


def positive(name: str, limit: float = 0.0) -> Condition:
    """Return the condition that another setting is above a limit."""
    return lambda group: getattr(group, name) > limit


@dataclass(frozen=True)
class Control:
    """A setting in the panel.

    Attributes:
        name: Name of the property.
        applies: Condition on the object's settings under which the control is drawn.
        active: Condition under which the control is not greyed out.
        text: Label; by default the name of the property.
        ends: Words at the two ends of the slider, for settings that are judged by feel; empty for others.
    """

    name: str
    applies: Condition = always
    active: Condition = always
    text: str | None = None
    ends: tuple[str, ...] = ()


def controls(*names: str, applies: Condition = always, active: Condition = always) -> tuple[Control, ...]:
    """Return controls with the same conditions."""
    return tuple(Control(name, applies, active) for name in names)


def draw(column: Any, group: Any, rows: Iterable[Control]) -> None:
    """Draw the controls that apply; grey out those without effect, and say why."""
    said = ""
    for control in rows:
        if control.applies(group):
            why = reason(group, control.name)
            if why and why != said:
                column.label(text=f"{why}:")
            said = why
            row = column.column()
            row.enabled, row.active = not why, control.active(group)
            draw_fitting(row, group, control.name, control.text, bool(control.ends))
            if control.ends:
                draw_ends(row, *control.ends)


def draw_fitting(row: Any, group: Any, name: str, text: str | None = None, slider: bool = False) -> None:
    """Draw a property in a row of its own; a name too long for the sidebar is inside the field.

    Args:
        row: Layout.
        group: Owner of the property.
        name: Name of the property.
        text: Label; by default the name of the property.
        slider: Whether a number is drawn as a slider.
    """
    if not _fits(text or group.bl_rna.properties[name].name):
        row.use_property_split = False
    options = {} if text is None else {"text": text}
    row.prop(group, name, slider=slider, **options)


def _fits(label: str) -> bool:
    """Return whether a label fits beside a value, in a sidebar of the present width."""
    context: Any = bpy.context
    if context.region is None or context.region.type != "UI":
        return True
    blf.size(0, LABEL_SIZE)
    width = context.region.width / context.preferences.system.ui_scale - LABEL_MARGIN
    return blf.dimensions(0, label)[0] < LABEL_SHARE * width


def draw_ends(column: Any, low: str, high: str) -> None:
    """Draw the words at the two ends of a slider, below it."""
    row = column.row(align=True)
    row.scale_y, row.active = 0.6, False
    row.label(text=low)
    end = row.row()
    end.alignment = "RIGHT"
    end.label(text=high)


def matching(group: Any, text: str) -> Iterator[Control]:
    """Yield the controls of all sections that have an effect and whose name or tooltip has each word of a text."""
    words = text.casefold().split()
    for control in dict.fromkeys(control for rows in SECTIONS.values() for control in rows):
        declared = group.bl_rna.properties[control.name]
        where = f"{declared.name} {control.name} {declared.description}".casefold()
        if control.applies(group) and not reason(group, control.name) and all(word in where for word in words):
            yield control


def _is_rough(group: Any) -> bool:
    return group.roughness > 0.0


def _is_divided(group: Any) -> bool:
    return _is_rough(group) and group.fractal_depth > 0 and group.relief not in ("SMOOTH", "CONCHOIDAL")


def _has_point_levels(group: Any) -> bool:
    return group.bonds == "POINT" and group.loading == "RAMP"


def _has_cubes(group: Any) -> bool:
    return group.lattice == "CUBES"


def _has_lobe(group: Any) -> bool:
    return group.crack_function == "LOBE"


def _goes_one_by_one(group: Any) -> bool:
    return group.activation == "EVENT"


def _has_full_bonds(group: Any) -> bool:
    return group.bonds == "FULL" or bool(reason(group, "bonds"))


def _is_painted(*what: str) -> Condition:
    return lambda group: any(getattr(group, f"{name}_paint") for name in what)


def _paint(what: str, applies: Condition = always) -> tuple[Control, ...]:
    title = what.replace("_", " ").title()
    factor = Control(f"{what}_paint_factor", _is_painted(what), text=f"{title} Factor")
    return Control(f"{what}_paint", applies, text=f"{title} Paint"), factor


# Sections of the second level. Their panels add buttons and lists.
WHERE = (
    *_paint("strength"),
    *_paint("second_strength", _is_painted("strength", "second_strength")),
    *_paint("fineness"),
    Control("impact_fineness"),
)
LOOK = (
    *controls("piece_count", "relief"),
    Control("roughness", ends=("smooth", "rough")),
    Control("chips", ends=("sharp edges", "chipped")),
    Control("dust"),
    Control("dust_paint", lambda group: group.dust != "MERGE"),
    Control("dust_volume", ends=("keep all", "only large pieces")),
    *controls("interior_material", "piece_colors", "one_object", "events"),
)
MOVE = (
    Control("held"),
    Control("activation"),
    *controls("activation_speed", "activation_distance", "order_paint", applies=_goes_one_by_one),
    *controls("order_start", "order_end", applies=lambda group: _goes_one_by_one(group) and bool(group.order_paint)),
    Control("own_weight", active=_has_full_bonds),
    *controls("break_depth", "friction", "restitution", "islands"),
)

# Groups of the third level, behind Advanced.
MATERIAL = (
    Control("material_name", text="Name"),
    *controls("density", "young_modulus_gpa", "poisson_ratio"),
    *controls("tensile_strength_mpa", "compressive_strength_mpa", "toughness_mpa", "strength_variation"),
    *controls("yield_strength_mpa", "hardening_mpa", "plastic_limit"),
    *controls("dilation_damping", "rigidity_damping"),
    *controls("thermal_expansion_ppm", "thermal_conductivity", "specific_heat"),
    Control("grain_strength_ratio"),
    Control("grain_stiffness_ratio", active=positive("grain_strength_ratio", 1.0)),
    Control("grain", active=positive("grain_strength_ratio", 1.0)),
    *controls("tempering_mpa", "film_thickness", "bar_diameter", active=_has_full_bonds),
    Control("bar_spacing", active=positive("bar_diameter")),
)
METHOD = (
    Control("method"),
    *controls("bonds", "loading"),
    Control("load_steps", _has_point_levels),
    Control("crack_function"),
    *controls("crack_growth", "crack_sharpness", applies=_has_lobe),
    Control("lattice"),
    Control("diagonals", _has_cubes),
    *controls("contact", "separation_force", "crack_speed", "crack_passes"),
)
CELLS = (
    Control("interior_points"),
    Control("wall_layers"),
    Control("impact_reach", active=positive("impact_fineness", 1.0)),
    *_paint("density"),
)
STRENGTH = (
    Control("noise"),
    *controls("noise_kind", "noise_size", active=positive("noise")),
    Control("noise_threshold", lambda group: group.noise_kind == "THRESHOLDED", positive("noise")),
    *controls("area_exponent", "volume_exponent", "density_noise"),
    Control("stress_paint", text="Prior Stress Paint"),
    Control("prior_stress_mpa", _is_painted("stress")),
)
FACES = (
    *controls("relief_size", "fractal_depth", active=_is_rough),
    Control("fractal_amplitude", active=_is_divided),
    Control("face_budget", active=_is_rough),
    Control("wall_smoothing"),
    Control("velocity_fit"),
)
# Settings of deformable bodies.
DEFORMABLE = (
    Control("creep"),
    Control("yield_share", active=positive("creep")),
    *controls("self_collision", "integrator", "time_steps"),
)
MESH = (
    Control("repair"),
    Control("openings", active=lambda group: group.repair),
    Control("wall_thickness", active=lambda group: group.repair),
    Control("place"),
)

SECTIONS = {
    "Where It Breaks": WHERE,
    "How Pieces Look": LOOK,
    "How It Moves": MOVE,
    "Material": MATERIAL,
    "Method": METHOD,
    "Cells": CELLS,
    "Strength": STRENGTH,
    "Crack Faces": FACES,
    "Deformable Bodies": DEFORMABLE,
    "Mesh": MESH,
}
