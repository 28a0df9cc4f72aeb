"""Main panel: material preset, main settings, Shatter, and the report of the last run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import bpy

from ..process import run
from ..read import settings
from ..scene import result_lookup
from ..setup import presets
from . import last_report

# Pixels at interface scale 1: width of a character (an upper estimate), and the space beside a line of text. Chosen;
# not measured.
CHARACTER_WIDTH, MARGIN = 6.4, 70.0


class FRACTURE_MT_material_presets(bpy.types.Menu):
    """Material presets of the extension and of the artist."""

    bl_label = "Material Presets"

    def draw(self, _context: Any) -> None:
        """List all preset files by their display names."""
        self.path_menu(
            [str(folder) for folder in presets.folders()],
            "fracture.apply_preset",
            filter_ext=lambda suffix: suffix.lower() == ".py",
            display_name=presets.display_name,
        )


class FRACTURE_MT_scenes(bpy.types.Menu):
    """Example scenes of the extension and of the artist."""

    bl_label = "Add Scene"

    def draw(self, _context: Any) -> None:
        """List all scene files by their display names."""
        self.path_menu(
            [str(folder) for folder in presets.folders(presets.SCENES)],
            "fracture.add_scene",
            filter_ext=lambda suffix: suffix.lower() == ".py",
            display_name=presets.display_name,
        )


class FRACTURE_PT_main(bpy.types.Panel):
    """Main panel in the tab "Fracture" of the sidebar."""

    bl_idname = "FRACTURE_PT_main"
    bl_label = "Fracture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Fracture"

    def draw(self, context: Any) -> None:
        """Draw the settings, the button or the progress, and the report."""
        layout = self.layout
        obj = context.object
        if obj is None or obj.type not in settings.BREAKABLE:
            layout.label(text="Select an object to break", icon="INFO")
            layout.menu("FRACTURE_MT_scenes", icon="SCENE_DATA")
        elif obj.fracture.place != "NONE":
            layout.label(text="This mesh changes the strength of breaking objects", icon="INFO")
        elif result_lookup.SOURCE in obj:
            kind = obj.get(result_lookup.MARK, "Piece")
            layout.label(text=f"{kind} of {obj[result_lookup.SOURCE]}", icon="MOD_EXPLODE")
        else:
            self._draw_settings(obj)
        self._draw_run(context)
        self._draw_result(context)

    def _draw_settings(self, obj: bpy.types.Object) -> None:
        layout, group = self.layout, obj.fracture
        row = layout.row(align=True)
        row.menu("FRACTURE_MT_material_presets", text=group.material_name)
        row.operator("fracture.material_preset", text="", icon="ADD")
        remove = row.operator("fracture.material_preset", text="", icon="REMOVE")
        remove.name = group.material_name
        remove.remove_name = True

        layout.prop(group, "method")

        column = layout.column(align=True)
        column.prop(group, "violence", slider=True)
        row = column.row(align=True)
        row.prop(group, "resolution", text="Detail (cells)", slider=True)
        row.operator("fracture.preview", text="", icon="HIDE_OFF")
        column.prop(group, "seed")

    def _draw_run(self, context: Any) -> None:
        layout = self.layout
        if run.active is not None:
            progress = run.active.process.progress
            column = layout.column(align=True)
            column.label(text=progress.stage)
            if progress.note:
                column.label(text=progress.note, icon="ERROR")
            row = column.split(factor=0.65, align=True)
            row.progress(factor=progress.share, text=f"{100.0 * progress.share:.0f} %")
            row.operator("fracture.cancel")
            if run.active.is_first:
                column.label(text="First run: compiling takes up to a minute", icon="INFO")
            return
        chosen = settings.chosen(settings.selection(context))
        column = layout.column(align=True)
        button = column.row()
        button.scale_y = 1.6
        button.operator("fracture.shatter", icon="MOD_EXPLODE", text=_shatter_label(chosen))
        if chosen and chosen[0].rigid_body is not None:
            column.label(text="Shatter also breaks this collider", icon="INFO")
        if len(chosen) > 1:
            cells = sum(obj.fracture.resolution for obj in chosen)
            column.label(text=f"About {cells:,} cells in total")

    def _draw_result(self, context: Any) -> None:
        width = context.region.width / context.preferences.system.ui_scale - MARGIN
        characters = max(16, int(width / CHARACTER_WIDTH))
        column = self.layout.column(align=True)
        if run.message is not None:
            icon = "ERROR" if run.message.is_error else "INFO"
            _draw_text(column, run.message.text, icon, characters, run.message.is_error)
        if run.active is None and context.object is not None:
            for row, line in enumerate(last_report.lines(context.object)):
                icon = "ERROR" if line.is_warning else "BLANK1" if row else "CHECKMARK"
                _draw_text(column, line.text, icon, characters, line.is_warning)


def _shatter_label(chosen: Sequence[bpy.types.Object]) -> str:
    return f"Shatter {len(chosen)} Objects" if len(chosen) > 1 else "Shatter"


def _draw_text(layout: bpy.types.UILayout, text: str, icon: Any, characters: int, alert: bool) -> None:
    """Draw a text, wrapped after a number of characters."""
    column = layout.column(align=True)
    column.alert = alert and icon == "ERROR"
    column.scale_y = 0.8
    for row, part in enumerate(textwrap.wrap(text[:1].upper() + text[1:], characters)):
        column.label(text=part, icon="BLANK1" if row else icon)
