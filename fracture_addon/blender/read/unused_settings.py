"""Settings of an object that have no effect with its method and dynamics."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...core.data.settings.settings import all_rows
from ...core.methods import table
from .deformable import is_deformable
from .thin import structure_of

# Fields of the core behind properties that have other names and no row in the table of settings.
FIELDS = {
    "density_paint": "painted_density",
    "density_paint_factor": "painted_density",
    "stress_paint": "painted_stress",
    "order_paint": "order",
    "dust_paint": "painted_dust",
    "impact_load": "impact_schedule",
}
# Endings of the properties that show a value in another unit.
UNITS = ("_mpa", "_gpa")


def reason(obj: Any, name: str) -> str:
    """Return why a property of an object has no effect, in a few words; empty if it has one."""
    method = table.METHODS.get(obj.fracture.method.lower())
    if method is None:
        return ""
    thin = structure_of(obj).read is not None
    return method.capabilities.unused(deforms=is_deformable(obj), thin=thin).get(_field(name), "")


@cache
def _field(name: str) -> str:
    """Return the name of the core's field behind a property."""
    for unit in UNITS:
        name = name.removesuffix(unit)
    fields = FIELDS | {row.property: field for field, (row, _) in all_rows().items() if row.property}
    return fields.get(name, name)
