"""Main panel: material preset, main settings, Shatter, and the report of the last run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import bpy

from ..process import run
from ..read import hits, settings
from ..scene.result_lookup import MARK, SOURCE, collection_of, is_impact, is_still, pieces_of, preview_of, subject_of
from ..setup import hints, material_guess, presets
from ..setup.place_handles import HANDLES
from ..setup.scenario import FLOOR
from . import last_report, loads
from .controls import capabilities_of, draw_ends

# Pixels at interface scale 1: width of a character, and the space beside a line of text. Measured: sentences of the
# panel have 5.0 to 5.5 pixels a character. A larger value wraps lines earlier, so that none is cut off.
CHARACTER_WIDTH, MARGIN = 6.4, 70.0
# Characters of a text beside an icon that a sidebar of the default width shows in one line. Measured.
ONE_LINE = 36
# How the last run closed an object's openings. The buttons below this text choose for the next run.
OPENINGS = {
    "hollow": "Kept hollow, with a wall. Change to:",
    "filled": "Openings filled. Change to:",
    "scraps": "Each open part got a wall. Change to:",
}


class FRACTURE_PT_main(bpy.types.Panel):
    """Main panel in the tab "Fracture" of the sidebar."""

    bl_idname = "FRACTURE_PT_main"
    bl_label = "Fracture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Fracture"

    def draw(self, context: Any) -> None:
        """Draw the settings, the button or the progress, and the report."""
        layout: Any = self.layout
        obj = subject_of(context.object)
        if obj is not None and obj.type == "EMPTY" and obj.fracture.place != "NONE":
            held = obj.fracture.place in HANDLES
            layout.label(text="Drag its handles in the viewport" if held else "Move it to its place", icon="INFO")
            layout.label(text="Then select the object to break", icon="BLANK1")
        elif obj is None or obj.type not in settings.BREAKABLE:
            layout.label(text="Select an object to break", icon="INFO")
            layout.menu("FRACTURE_MT_scenes", text="Example Scenes", icon="SCENE_DATA")
        elif obj.fracture.place != "NONE":
            layout.label(text="It changes how other objects break", icon="INFO")
            layout.label(text="Then select the object to break", icon="BLANK1")
        elif FLOOR in obj:
            layout.label(text="The floor, on which pieces fall", icon="INFO")
            layout.label(text="Select the object to break", icon="BLANK1")
        elif SOURCE in obj:
            layout.label(text=f"Copy of a piece of {obj[SOURCE]}", icon="MOD_EXPLODE")
        else:
            if obj != context.object:
                kind = "Impact" if is_impact(context.object) else context.object.get(MARK, "Piece")
                layout.label(text=f"{kind} of {obj.name}", icon="MOD_EXPLODE")
            self._draw_settings(context, obj)
        self._draw_run(context)
        self._draw_result(context, obj)

    def _draw_settings(self, context: Any, obj: Any) -> None:
        layout: Any = self.layout
        group = obj.fracture
        row = layout.row(align=True)
        row.menu("FRACTURE_MT_material_presets", text=_material_label(obj))
        row.operator("fracture.material_preset", text="", icon="ADD")
        remove = row.operator("fracture.material_preset", text="", icon="REMOVE")
        remove.name = group.material_name
        remove.remove_name = True

        able = capabilities_of(group)
        if 0.0 < group.yield_strength < group.tensile_strength and not able.plastic:
            outcome = "impacts dent it" if able.dents else "keeps its shape"
            layout.label(text=f"Ductile: {outcome} unless it tears", icon="INFO")
        self._draw_loads(context, obj)

        selected = context.scene.fracture_selected
        column = layout.column(align=True)
        column.prop(selected, "violence", slider=True)
        draw_ends(column, "gentle", "shattering")
        row = column.row(align=True)
        row.prop(selected, "resolution", text="Detail (cells)", slider=True)
        preview = preview_of(obj)
        operator = "fracture.preview" if preview is None else "fracture.remove_preview"
        row.operator(operator, text="", icon="HIDE_ON" if preview is None else "HIDE_OFF", depress=preview is not None)
        column.prop(selected, "seed")
        layout.prop(context.scene.fracture, "break_anyway")

    def _draw_loads(self, context: Any, obj: Any) -> None:
        """Draw what can hit the object, and buttons that add something."""
        layout: Any = self.layout
        column = layout.column(align=True)
        text = loads.sentence(context, obj)
        if len(text) > ONE_LINE:
            draw_text(column, text, "FORCE_FORCE", characters_of(context), alert=False)
        else:
            column.label(text=text, icon="FORCE_FORCE")
        row = column.row(align=True)
        row.operator("fracture.drop", text="Drop", icon="SORT_ASC")
        row.operator("fracture.throw_ball", text="Ball", icon="SPHERE")
        row.operator("fracture.add_impact", text="Impact", icon="EMPTY_SINGLE_ARROW")

    def _draw_run(self, context: Any) -> None:
        layout: Any = self.layout
        if run.active is not None:
            progress = run.active.process.progress
            column = layout.column(align=True)
            column.label(text=progress.stage)
            row = column.split(factor=0.65, align=True)
            row.progress(factor=progress.share, text=f"{100.0 * progress.share:.0f} %")
            row.operator("fracture.cancel", text="Cancel")
            if progress.note:  # below the button, which must not move under the pointer
                column.label(text=progress.note, icon="INFO")
            return
        chosen = settings.chosen(settings.selection(context))
        column = layout.column(align=True)
        can_be_hit = hits.can_be_hit(context, chosen)
        if chosen and not can_be_hit:
            # Three buttons need the whole width.
            offered = column.row(align=True)
            offered.scale_y = 1.6
            offered.operator("fracture.drop_it", icon="SORT_ASC", text="Drop It")
            offered.operator("fracture.hit_it", icon="SPHERE", text="Hit It")
            offered.operator("fracture.blast_it", icon="FORCE_FORCE", text="Blast It")
            # Four would be cut off in a sidebar of the default width.
            rows = column.grid_flow(row_major=True, columns=2, align=True)
            rows.operator_menu_enum("fracture.snap_it", "motion", icon="VIEW_PAN", text="Snap It")
            rows.operator("fracture.quench_it", icon="TEMP", text="Quench It")
            rows.operator("fracture.sing_at_it", icon="SPEAKER", text="Sing at It")
            rows.operator("fracture.clear", icon="TRASH", text="Clear")
        else:
            buttons = column.split(factor=0.7, align=True)
            buttons.scale_y = 1.6
            buttons.operator("fracture.shatter", icon="MOD_EXPLODE", text=_shatter_label(chosen))
            buttons.operator("fracture.clear", icon="TRASH", text="Clear")
        # Three in one row would be cut off in a sidebar of the default width.
        rows = column.grid_flow(row_major=True, columns=2, align=True)
        rows.operator("fracture.fracture_only", text="Fracture Only", icon="MOD_PHYSICS")
        rows.operator("fracture.preview_break", text="Preview Break", icon="MOD_WIREFRAME")
        if can_be_hit:
            rows.operator("fracture.rough_run", text="Rough Run", icon="SEQUENCE")
        # In other modes, such as Weight Paint, these buttons are off and a message names the next step.
        if context.mode == "OBJECT" and chosen:
            found = list(filter(None, map(collection_of, chosen)))
            hint = hints.hint(bool(found), can_be_hit, not all(map(is_still, found)))
            if hint and (not found or any(map(pieces_of, found))):  # if nothing broke, the report names the next step
                column.label(text=hint, icon="INFO")
        if chosen and chosen[0].rigid_body is not None:
            column.label(text="Shatter also breaks this collider", icon="INFO")
        if len(chosen) > 1:
            cells = sum(obj.fracture.resolution for obj in chosen)
            column.label(text=f"About {cells:,} cells in total")

    def _draw_result(self, context: Any, obj: Any) -> None:
        characters = characters_of(context)
        layout: Any = self.layout
        column = layout.column(align=True)
        if run.active is None and obj is not None and collection_of(obj) is not None:
            column.prop(context.scene, "fracture_exploded", slider=True)
            column.prop(context.scene, "fracture_onion")
            column.menu("FRACTURE_MT_after")
        if run.message is not None and _is_current(run.message, context):  # below the buttons, which must not move
            icon = "ERROR" if run.message.is_error else "INFO"
            draw_text(column, run.message.text, icon, characters, run.message.is_error)
        if context.mode == "PAINT_WEIGHT":  # all buttons above are disabled until then
            column.operator("object.mode_set", text="Done Painting", icon="CHECKMARK").mode = "OBJECT"
            column.operator("fracture.expected_stress", text="Show Expected Stress", icon="SHADING_RENDERED")
        if run.active is None and obj is not None:
            for row, line in enumerate(last_report.lines(obj)):
                icon = "ERROR" if line.is_warning else "BLANK1" if row else "CHECKMARK"
                draw_text(column, line.text, icon, characters, line.is_warning)
            if made := last_report.openings(obj):
                column.label(text=OPENINGS[made], icon="MESH_CYLINDER")
                group = subject_of(obj).fracture
                column.row(align=True).prop(group, "openings", expand=True)
                if made != "scraps" and group.openings not in ("AUTO", made.upper()):
                    column.label(text="Press Shatter to apply it", icon="INFO")


def _is_current(message: run.Message, context: Any) -> bool:
    """Return whether a message is about the selected objects, or about none in particular, and about the mode."""
    names = {obj.name for obj in settings.chosen(settings.selection(context))}
    return message.objects in (frozenset(), names) and message.mode in ("", context.mode)


def _material_label(obj: bpy.types.Object) -> str:
    """Return the name of an object's material, with a remark if it is guessed from the object's own material."""
    guessed = material_guess.guess(obj)
    if guessed:
        return f"{presets.display_name(guessed)} (guess)"
    return f"{obj.fracture.material_name} (guess)" if material_guess.is_guessed(obj) else obj.fracture.material_name


def _shatter_label(chosen: Sequence[bpy.types.Object]) -> str:
    return f"Shatter {len(chosen)} Objects" if len(chosen) > 1 else "Shatter"


def characters_of(context: Any) -> int:
    """Return how many characters of a text fit beside an icon."""
    width = context.region.width / context.preferences.system.ui_scale - MARGIN
    return max(16, int(width / CHARACTER_WIDTH))


def draw_text(layout: bpy.types.UILayout, text: str, icon: Any, characters: int, alert: bool) -> None:
    """Draw a text, wrapped after a number of characters."""
    column = layout.column(align=True)
    column.alert = alert and icon == "ERROR"
    column.scale_y = 0.8
    for row, part in enumerate(textwrap.wrap(text[:1].upper() + text[1:], characters)):
        column.label(text=part, icon="BLANK1" if row else icon)
