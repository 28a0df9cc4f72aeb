"""Base class of the subpanels."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import settings
from ..scene.result_lookup import SOURCE, subject_of


class Section:
    """A closed subpanel for the active object, or for the source of the active fragment.

    Attributes:
        layout: Blender's layout, set when the panel is drawn.
    """

    layout: Any

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Fracture"
    bl_parent_id = "FRACTURE_PT_main"
    bl_options: Any = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there is an object to break."""
        obj = subject_of(context.object)
        return obj is not None and obj.type in settings.BREAKABLE and SOURCE not in obj and obj.fracture.place == "NONE"

    def column(self, context: Any) -> tuple[bpy.types.UILayout, Any]:
        """Return a column with names left of the values, and the settings of the panel's object."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column(), subject_of(context.object).fracture
