"""Settings of the material that are no numbers of the table: its name, and the direction of the grain."""

from __future__ import annotations

from ...core.data.material import PORCELAIN
from .overridable import FloatVectorProperty, StringProperty


class MaterialProperties:
    """Name and grain of the material of an object."""

    material_name: StringProperty(
        name="Material", description="Name of the material, shown in messages", default=PORCELAIN.name
    )
    grain: FloatVectorProperty(
        name="Grain",
        description="Direction of the grain, in which the material is strong, in world space on the first frame. "
        "0, 0, 0: along the longest axis of the object. Turn it to guide the cracks of wood",
        default=(0.0, 0.0, 0.0),
        subtype="XYZ",
        size=3,
    )
