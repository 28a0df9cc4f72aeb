"""The section Advanced: all other settings in groups, with a search field over all sections."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from . import controls
from .controls import Control
from .section import Section


class FRACTURE_PT_advanced(Section, bpy.types.Panel):
    """Search field, and the settings that it finds."""

    bl_idname = "FRACTURE_PT_advanced"
    bl_label = "Advanced"

    def draw(self, context: Any) -> None:
        """Draw the search field and the settings that it finds."""
        column, group = self.column(context)
        column.use_property_split = False
        column.prop(context.window_manager, "fracture_search", text="", icon="VIEWZOOM")
        text = context.window_manager.fracture_search.strip()
        if not text:
            return
        found = list(controls.matching(group, text))
        controls.draw(column, group, found)
        if not found:
            column.label(text="No setting that applies has this name", icon="INFO")


class Group(Section):
    """A group of settings below Advanced, hidden during a search.

    Attributes:
        rows: The settings of the group.
        is_split: Whether names are left of the values. Inside the fields there is more room for names with units.
    """

    bl_parent_id = "FRACTURE_PT_advanced"
    rows: tuple[Control, ...] = ()
    is_split = True

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether there is an object to break, and no search."""
        return super().poll(context) and not context.window_manager.fracture_search.strip()

    def draw(self, context: Any) -> None:
        """Draw the settings that apply."""
        column, group = self.column(context)
        column.use_property_split = self.is_split
        controls.draw(column, group, self.rows)


class FRACTURE_PT_material(Group, bpy.types.Panel):
    """Material properties."""

    bl_label, rows, is_split = "Material", controls.MATERIAL, False


class FRACTURE_PT_method(Group, bpy.types.Panel):
    """Method and its crack model."""

    bl_label, rows = "Method", controls.METHOD


class FRACTURE_PT_cells(Group, bpy.types.Panel):
    """Sizes and density of the cells."""

    bl_label, rows = "Cells", controls.CELLS


class FRACTURE_PT_strength(Group, bpy.types.Panel):
    """Variation of the strength."""

    bl_label, rows = "Strength", controls.STRENGTH


class FRACTURE_PT_crack_faces(Group, bpy.types.Panel):
    """Details of crack faces and pieces."""

    bl_label, rows = "Crack Faces", controls.FACES


class FRACTURE_PT_mesh(Group, bpy.types.Panel):
    """Repair of open meshes, and use of the mesh as a place."""

    bl_label, rows = "Mesh", controls.MESH


CLASSES = (
    FRACTURE_PT_advanced,
    FRACTURE_PT_material,
    FRACTURE_PT_method,
    FRACTURE_PT_cells,
    FRACTURE_PT_strength,
    FRACTURE_PT_crack_faces,
    FRACTURE_PT_mesh,
)


def register() -> None:
    """Add the text of the search field, which is not saved."""
    bpy.types.WindowManager.fracture_search = StringProperty(
        name="Search",
        description="Show only settings whose name or tooltip contains these words",
        options={"SKIP_SAVE"},
    )


def unregister() -> None:
    """Remove the text of the search field."""
    del bpy.types.WindowManager.fracture_search
