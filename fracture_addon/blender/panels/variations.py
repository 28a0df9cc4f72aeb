"""Section of variations: two settings, the contact sheet, and Use This."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.result_lookup import subject_of
from ..setup import variation_grid, variation_sheet
from ..setup.named_settings import as_text
from .main import CHARACTER_WIDTH, characters_of, draw_text
from .section import Section

# Pixels at interface scale 1 beside the pictures, and in a unit of the size of a picture.
MARGIN, UNIT = 60.0, 20.0
# Largest size of a picture, units: those of more than 192 pixels are blurred.
LARGEST = 9.0
# Pixels at interface scale 1 that the margins of a button take. Measured: of three buttons in a sidebar of 280 pixels,
# "99 pieces" fits, and "122 pieces" does not.
PADDING = 13.0
# Size of a picture in the gallery, units: eight fit beside one another on a screen of 1,280 pixels.
POPUP = 7.0


class FRACTURE_PT_variations(Section, bpy.types.Panel):
    """Variations of the selected objects."""

    bl_label = "Variations"

    def draw(self, context: Any) -> None:
        """Draw the two settings, the button, and the pictures that have arrived."""
        layout: Any = self.layout
        chosen = context.window_manager.fracture_variations
        obj = subject_of(context.object)
        for axis in ("down", "across"):
            row = layout.row(align=True)
            row.prop(chosen, axis)
            values = variation_grid.proposal(obj, getattr(chosen, axis))
            row.prop(chosen, f"{axis}_values", text="", placeholder=values)
        layout.operator("fracture.variations", text="Variations", icon="GRID")
        layout.operator("fracture.search_cracks", text="Search Drawn Cracks", icon="VIEWZOOM")
        sheet = variation_sheet.shown(context)
        if sheet is not None:
            _draw_sheet(context, layout, sheet)
            layout.operator("fracture.use_variation", text="Use This", icon="CHECKMARK")


def _draw_sheet(context: Any, layout: Any, sheet: variation_sheet.Sheet) -> None:
    """Draw a picture and a button with the number of pieces for each variation."""
    chosen, columns = context.window_manager.fracture_variations, len(sheet.grid.across)
    width = context.region.width / context.preferences.system.ui_scale - MARGIN
    scale = min(width / UNIT / columns, LARGEST)
    names = [setting.declared.name for setting in (sheet.grid.down[0], sheet.grid.across[0])]
    for row, down in enumerate(sheet.grid.down):
        layout.label(text=f"{names[0]} {as_text(down.value)}")
        cells = layout.row(align=True)
        for column, across in enumerate(sheet.grid.across):
            number = row * columns + column
            cell = cells.column(align=True)
            if row == 0:
                cell.label(text=f"{names[1]} {as_text(across.value)}")
            if number < len(sheet.items):
                cell.template_icon(sheet.items[number][3], scale=scale)
                label = sheet.label(number)
                fits = len(label) * CHARACTER_WIDTH < scale * UNIT - PADDING
                cell.prop_enum(chosen, "chosen", str(number), text=label if fits else sheet.short_label(number))
    # Without pictures, Blender warns that the choice is none of them.
    if sheet.items and chosen.chosen:
        layout.template_icon_view(chosen, "chosen", show_labels=True, scale=LARGEST, scale_popup=POPUP)
        text = sheet.description(int(chosen.chosen))
        draw_text(layout, text, "INFO", characters_of(context), False)
