"""Closed subpanels below Shatter."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import deformable
from ..read.thin import kind_of
from . import cracks, places, stress_preview
from .section import Section, draw_pins

STIFFNESS = ("density", "young_modulus_gpa", "poisson_ratio")
STRENGTH = ("tensile_strength_mpa", "compressive_strength_mpa", "toughness_mpa", "strength_variation")
FLOW = ("yield_strength_mpa", "hardening_mpa", "plastic_limit")
CONTACT = ("friction", "restitution")
GRAIN = ("grain_strength_ratio",)


class FRACTURE_PT_scenario(Section, bpy.types.Panel):
    """Buttons that set up a load on the object."""

    bl_label = "Scenario"

    def draw(self, context: Any) -> None:
        """Draw one button per scenario."""
        column = self.layout.column(align=True)
        column.menu("FRACTURE_MT_scenes", icon="SCENE_DATA")
        column.operator("fracture.drop", icon="SORT_ASC")
        column.operator("fracture.throw_ball", icon="SPHERE")
        column.operator("fracture.add_impact", icon="EMPTY_SINGLE_ARROW")


class FRACTURE_PT_material(Section, bpy.types.Panel):
    """Material of the object."""

    bl_label = "Material"

    def draw(self, context: Any) -> None:
        """Draw the material; names stay inside the fields, where their units are not cut off."""
        group = context.object.fracture
        column = self.layout.column(align=True)
        column.prop(group, "material_name", text="Name")
        flow = [FLOW] if group.method == "FEM" else []
        for names in STIFFNESS, STRENGTH, *flow, CONTACT, GRAIN:
            column.separator()
            for name in names:
                column.prop(group, name)
        grain = column.row(align=True)
        grain.active = group.grain_strength_ratio > 1.0
        grain.prop(group, "grain", text="")


class FRACTURE_PT_impact(Section, bpy.types.Panel):
    """Impacts without a collision."""

    bl_label = "Impact"

    def draw_header(self, context: Any) -> None:
        """Draw the check box that enables the impact."""
        self.layout.prop(context.object.fracture, "impact_enabled", text="")

    def draw(self, context: Any) -> None:
        """Draw the impacts and their load curve."""
        column, group = self.column(context)
        column.active = group.impact_enabled
        row = column.row(align=True)
        row.prop(group, "impact_object")
        row.operator("fracture.add_impact", text="", icon="ADD")
        _draw_impact(column, group)
        for index, impact in enumerate(group.more_impacts):
            box = column.box().column()
            row = box.row(align=True)
            row.prop(impact, "impact_object")
            row.operator("fracture.remove_impact", text="", icon="X").index = index
            _draw_impact(box, impact)
        if group.method != "LATTICE":
            curve = column.column()
            curve.use_property_decorate = True
            curve.prop(group, "impact_load")


def _draw_impact(column: bpy.types.UILayout, impact: Any) -> None:
    for name in ("impact_frame", "impact_strength", "impact_radius"):
        column.prop(impact, name)


class FRACTURE_PT_pieces(Section, bpy.types.Panel):
    """Number, dust, material and objects of the pieces."""

    bl_label = "Pieces"

    def draw(self, context: Any) -> None:
        """Draw the settings of the pieces."""
        column, group = self.column(context)
        for name in (
            "piece_count",
            "break_depth",
            "dust",
            "dust_volume",
            "velocity_fit",
            "interior_material",
            "piece_colors",
            "one_object",
        ):
            column.prop(group, name)


class FRACTURE_PT_motion(Section, bpy.types.Panel):
    """Frames, substeps, and what is fixed."""

    bl_label = "Motion"

    def draw(self, context: Any) -> None:
        """Draw the fixed parts, the frames and the substeps."""
        column, group = self.column(context)
        scene = context.scene.fracture
        column.prop(group, "held")
        if not deformable.is_deformable(context.object):
            draw_pins(column, context.object)
        column.prop(scene, "use_scene_range")
        frames = column.column(align=True)
        frames.active = not scene.use_scene_range
        chosen = context.scene if scene.use_scene_range else scene
        frames.enabled = not scene.use_scene_range
        frames.prop(chosen, "frame_start", text="Start")
        frames.prop(chosen, "frame_end", text="End")
        column.prop(scene, "substeps")


class FRACTURE_PT_deforming(Section, bpy.types.Panel):
    """Deformable bodies."""

    bl_label = "Deforming"

    def draw(self, context: Any) -> None:
        """Draw the structure and, for a deformable body, its settings."""
        column, group = self.column(context)
        kind = kind_of(context.object)
        if group.method == "LATTICE":
            column.prop(group, "structure")
            if kind == "turned":
                column.prop(group, "profile_object")
            if kind:
                column.prop(group, "thickness")
        if kind not in ("rope", "sheet"):
            column.prop(group, "dynamics")
            if group.dynamics != "DEFORMABLE":
                return
        if group.method == "NETWORK":
            column.label(text="Choose the method Lattice or Finite Elements", icon="INFO")
        column.prop(group, "softening")
        if group.method == "FEM":
            column.prop(group, "threshold")
            draw_pins(column, context.object)
            return
        row = column.row(align=True)
        row.prop(group, "threshold")
        row.operator("fracture.try_thresholds", text="", icon="VIEWZOOM")
        column.prop(group, "stiffness")
        column.prop(group, "creep")
        flow = column.column()
        flow.active = group.creep > 0.0
        flow.prop(group, "yield_share")
        column.prop(group, "self_collision")
        if kind == "rope":
            column.prop(group, "pinned_ends")
        else:
            draw_pins(column, context.object)
        column.prop(group, "glue_object")
        glue = column.column()
        glue.active = group.glue_object is not None
        for name in ("glue_kind", "glue_distance", "glue_strength"):
            glue.prop(group, name)


class FRACTURE_PT_repair(Section, bpy.types.Panel):
    """Repair of open meshes, and separate parts."""

    bl_label = "Repair"

    def draw(self, context: Any) -> None:
        """Draw the settings of the repair."""
        column, group = self.column(context)
        column.prop(group, "repair")
        wall = column.column()
        wall.active = group.repair
        wall.prop(group, "wall_thickness")
        column.prop(group, "islands")


class FRACTURE_PT_cache(Section, bpy.types.Panel):
    """Cache of the last run, checkpoints, and Clear."""

    bl_label = "Cache"

    def draw(self, context: Any) -> None:
        """Draw the cache folder, the checkpoints, Bake and Clear."""
        column, _group = self.column(context)
        scene = context.scene.fracture
        column.prop(scene, "cache_path")
        column.prop(scene, "checkpoint_interval")
        row = column.row(heading="Continue")
        row.prop(scene, "use_continue", text="")
        frame = row.row()
        frame.active = scene.use_continue
        frame.prop(scene, "continue_from", text="From")
        column.operator("fracture.bake", icon="FILE_REFRESH")
        column.operator("fracture.clear", icon="TRASH")


CLASSES = (
    FRACTURE_PT_scenario,
    FRACTURE_PT_material,
    FRACTURE_PT_impact,
    *cracks.CLASSES,
    *places.CLASSES,
    FRACTURE_PT_pieces,
    FRACTURE_PT_motion,
    FRACTURE_PT_deforming,
    FRACTURE_PT_repair,
    stress_preview.FRACTURE_PT_stress_preview,
    FRACTURE_PT_cache,
)
