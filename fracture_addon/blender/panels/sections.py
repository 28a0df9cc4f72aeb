"""Five sections below Shatter: where it breaks, how pieces look, how it moves, deformable bodies, preview and cache."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.methods.table import labels_with
from ..read import deformable
from ..read.thin import structure_of
from ..scene.result_lookup import START, STRENGTH, TIMES, preview_of, subject_of
from . import controls
from .controls import Control
from .section import Section

PLACE_ICONS: dict[str, Any] = {
    "PLANE": "MESH_PLANE",
    "REGION": "MESH_UVSPHERE",
    "LAYERS": "ALIGN_JUSTIFY",
    "GRAIN": "CURVES",
    "BLAST": "FORCE_FORCE",
    "PRESSURE": "FORCE_CHARGE",
    "GRIP": "VIEW_PAN",
    "SOUND": "SPEAKER",
    "RELEASE": "UNLOCKED",
    "FREEZE": "FREEZE",
    "THERMAL": "TEMP",
}
# Texts of buttons that differ from the kind.
PLACE_TEXTS = {"THERMAL": "Thermal Shock"}


class FRACTURE_PT_where(Section, bpy.types.Panel):
    """Impacts, fields of strength and grain, paint, and cell sizes."""

    bl_label = "Where It Breaks"

    def draw(self, context: Any) -> None:
        """Draw the impacts, the buttons that add fields, and the paint."""
        column, group = self.column(context)
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(group, "impact_enabled", text="Impacts")
        row.operator("fracture.add_impact", text="", icon="ADD")
        row.operator("fracture.impact_tool", text="", icon="EYEDROPPER")
        if group.impact_enabled:
            _draw_impacts(column, group)
        column.separator()
        column.label(text="Add a field or a load:")
        # Two per row: a sidebar of the default width would cut off four names.
        buttons = column.grid_flow(row_major=True, columns=2, align=True)
        for kind, icon in PLACE_ICONS.items():
            button: Any = buttons.operator(
                "fracture.add_place", text=PLACE_TEXTS.get(kind, kind.capitalize()), icon=icon
            )
            button.kind, button.select = kind, True
        column.prop(group, "places")
        column.label(text="Draw cracks:")
        row = column.row(align=True)
        pen: Any = row.operator("wm.tool_set_by_id", text="Draw", icon="GREASEPENCIL")
        pen.name = "fracture.draw_cracks"
        row.operator_context = "INVOKE_DEFAULT"
        row.operator_menu_enum("fracture.cracks_from", "source", text="From Lines", icon="MOD_EDGESPLIT")
        column.label(text="Paint a region:")
        brushes = column.grid_flow(row_major=True, columns=2, align=True)
        for kind in ("WEAK", "STRONG", "FINE", "DUST", "PINNED"):
            brush: Any = brushes.operator("fracture.paint", text=kind.capitalize(), icon="BRUSH_DATA")
            brush.kind = kind
        if context.mode != "PAINT_WEIGHT":  # then it is at the top, beside Done Painting
            column.operator("fracture.expected_stress", text="Show Expected Stress", icon="SHADING_RENDERED")
        controls.draw(column, group, controls.WHERE)


def _draw_impacts(column: Any, group: Any) -> None:
    _draw_impact(column.box().column(), group)
    for index, impact in enumerate(group.more_impacts):
        box = column.box().column()
        row = box.row(align=True)
        row.label(text=f"Impact {index + 2}")
        row.operator("fracture.remove_impact", text="", icon="X").index = index
        _draw_impact(box, impact)
    curve = column.column()
    curve.use_property_decorate = True
    controls.draw(curve, group, (Control("impact_load"),))


def _draw_impact(column: Any, impact: Any) -> None:
    for name in ("impact_object", "impact_frame", "impact_strength", "impact_radius"):
        column.prop(impact, name)


class FRACTURE_PT_look(Section, bpy.types.Panel):
    """Number, crack faces, dust and material of the pieces."""

    bl_label = "How Pieces Look"

    def draw(self, context: Any) -> None:
        """Draw the settings of the pieces."""
        column, group = self.column(context)
        column.operator("fracture.use_look", text="Use Preset's Look", icon="SHADING_RENDERED")
        controls.draw(column, group, controls.LOOK)
        if group.events != "OFF":
            buttons = column.column(align=True)
            buttons.operator_context = "INVOKE_DEFAULT"
            buttons.operator("fracture.write_events", text="Write Events", icon="EXPORT")
            buttons.operator("fracture.add_sound_markers", text="Add Sound Markers", icon="MARKER_HLT")


class FRACTURE_PT_move(Section, bpy.types.Panel):
    """Fixed parts, further breaks, contact, and the simulated frames."""

    bl_label = "How It Moves"

    def draw(self, context: Any) -> None:
        """Draw the settings of the motion, and the frames."""
        column, group = self.column(context)
        obj, scene = subject_of(context.object), context.scene.fracture
        controls.draw(column, group, controls.MOVE)
        if not deformable.is_deformable(obj):
            _draw_pins(column, obj)
        column.separator()
        column.prop(scene, "use_scene_range")
        frames = column.column(align=True)
        frames.enabled = not scene.use_scene_range
        chosen = context.scene if scene.use_scene_range else scene
        frames.prop(chosen, "frame_start", text="Start")
        frames.prop(chosen, "frame_end", text="End")
        column.prop(scene, "substeps")


class FRACTURE_PT_deformable(Section, bpy.types.Panel):
    """Deformable bodies."""

    bl_label = "Deformable Bodies"

    def draw(self, context: Any) -> None:
        """Draw the structure and, for a deformable body, its settings."""
        column, group = self.column(context)
        obj = subject_of(context.object)
        structure, able = structure_of(obj), controls.capabilities_of(group)
        if able.thin:
            column.prop(group, "structure")
            if structure.has_profile:
                column.prop(group, "profile_object")
            if structure.read is not None:
                column.prop(group, "thickness")
        if not structure.always_deforms:
            column.prop(group, "dynamics")
            if group.dynamics != "DEFORMABLE":
                return
        if not able.deformable:
            column.label(text=f"Needs the method {labels_with(lambda other: other.deformable)}", icon="INFO")
            column.prop(group, "method")
            return
        column.prop(group, "softening")
        row = column.row(align=True)
        row.prop(group, "threshold")
        row.operator("fracture.try_thresholds", text="", icon="VIEWZOOM")
        if structure.is_line:
            column.prop(group, "pinned_ends")
        else:
            _draw_pins(column, obj)
        controls.draw(column, group, controls.DEFORMABLE)
        column.prop(group, "stiffness")
        _draw_glue(column, group)
        for index, glue in enumerate(group.more_glue):
            box = column.box().column()
            remove: Any = box.row().operator("fracture.remove_glue", text="", icon="X")
            remove.index = index
            _draw_glue(box, glue)
        column.operator("fracture.add_glue", text="Glue to Selected", icon="LINKED")


def _draw_glue(column: Any, glue: Any) -> None:
    column.prop(glue, "glue_object")
    rest = column.column()
    rest.active = glue.glue_object is not None
    for name in ("glue_kind", "glue_distance", "glue_strength"):
        rest.prop(glue, name)


class FRACTURE_PT_runs(Section, bpy.types.Panel):
    """Stress preview, cache folder and checkpoints."""

    bl_label = "Preview and Cache"

    def draw(self, context: Any) -> None:
        """Draw the stress preview, the cache folder, and the checkpoints."""
        column, _group = self.column(context)
        scene = context.scene.fracture
        column.operator("fracture.stress_preview", text="Stress Preview", icon="SHADING_RENDERED")
        self._draw_preview(column, context)
        column.separator()
        column.prop(scene, "cache_path")
        column.operator("fracture.bake", text="Bake Cached Run", icon="FILE_REFRESH")
        column.separator()
        column.prop(scene, "checkpoint_interval", text="Checkpoints")
        row = column.row(heading="Continue")
        row.prop(scene, "use_continue", text="")
        frame = row.row()
        frame.active = scene.use_continue
        frame.prop(scene, "continue_from", text="From")

    def _draw_preview(self, column: Any, context: Any) -> None:
        preview: Any = preview_of(subject_of(context.object))
        if preview is None:
            return
        column.operator("fracture.remove_preview", text="Remove Preview", icon="X")
        if TIMES in preview:
            times = preview[TIMES]
            row = min(max(context.scene.frame_current - preview[START], 0), len(times) - 1)
            column.label(text=f"{1e3 * times[row]:.3g} of {1e3 * times[-1]:.3g}\u00a0ms after the impact", icon="TIME")
            column.label(text=f"Red: local strength; unpainted {preview[STRENGTH] / 1e6:.3g}\u00a0MPa", icon="COLOR")


def _draw_pins(column: Any, obj: Any) -> None:
    """Draw the vertex group of pinned points, for meshes only."""
    if obj.type == "MESH":
        column.prop_search(obj.fracture, "pin_group", obj, "vertex_groups")


CLASSES = (FRACTURE_PT_where, FRACTURE_PT_look, FRACTURE_PT_move, FRACTURE_PT_deformable, FRACTURE_PT_runs)
