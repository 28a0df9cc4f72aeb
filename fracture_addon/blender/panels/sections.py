"""Everything else, folded away below the button."""

from __future__ import annotations

import bpy

from .. import read_deforming, read_thin
from . import cracks, look_inside, places
from .section import Section, draw_pins

STIFFNESS = ("density", "young_modulus_gpa", "poisson_ratio")
STRENGTH = ("tensile_strength_mpa", "compressive_strength_mpa", "toughness_mpa", "strength_variation")
FLOW = ("yield_strength_mpa", "hardening_mpa", "plastic_limit")
CONTACT = ("friction", "restitution")
GRAIN = ("grain_strength_ratio",)


class FRACTURE_PT_scenario(Section, bpy.types.Panel):
    """What breaks the object, at a press."""

    bl_label = "Scenario"

    def draw(self, context):
        """Draw a button a scenario."""
        column = self.layout.column(align=True)
        column.menu("FRACTURE_MT_scenes", icon="SCENE_DATA")
        column.operator("fracture.drop", icon="SORT_ASC")
        column.operator("fracture.throw_ball", icon="SPHERE")
        column.operator("fracture.add_impact", icon="EMPTY_SINGLE_ARROW")


class FRACTURE_PT_material(Section, bpy.types.Panel):
    """What the object is made of."""

    bl_label = "Material"

    def draw(self, context):
        """Draw the material in the units of its trade; beside the fields, names would lose their units."""
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
    """Blows that need no collision."""

    bl_label = "Impact"

    def draw_header(self, context):
        """The switch."""
        self.layout.prop(context.object.fracture, "impact_enabled", text="")

    def draw(self, context):
        """Draw the blows, and the course of their load."""
        column, group = self.column(context)
        column.active = group.impact_enabled
        row = column.row(align=True)
        row.prop(group, "impact_object")
        row.operator("fracture.add_impact", text="", icon="ADD")
        _draw_blow(column, group)
        for index, blow in enumerate(group.more_impacts):
            box = column.box().column()
            row = box.row(align=True)
            row.prop(blow, "impact_object")
            row.operator("fracture.remove_impact", text="", icon="X").index = index
            _draw_blow(box, blow)
        if group.method != "LATTICE":
            course = column.column()
            course.use_property_decorate = True
            course.prop(group, "impact_load")


def _draw_blow(column, blow):
    for name in ("impact_frame", "impact_strength", "impact_radius"):
        column.prop(blow, name)


class FRACTURE_PT_pieces(Section, bpy.types.Panel):
    """What becomes of the pieces."""

    bl_label = "Pieces"

    def draw(self, context):
        """Draw what is done with pieces and crumbs."""
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
    """When and how things move."""

    bl_label = "Motion"

    def draw(self, context):
        """Draw the frames and the steps."""
        column, group = self.column(context)
        scene = context.scene.fracture
        column.prop(group, "held")
        if not read_deforming.is_deformable(context.object):
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
    """What bends for the whole shot."""

    bl_label = "Deforming"

    def draw(self, context):
        """Draw the switch, and what only counts with it."""
        column, group = self.column(context)
        kind = read_thin.kind_of(context.object)
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
            column.label(text="Needs the method Lattice or Finite Elements", icon="INFO")
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
    """What to do with a mesh that is not closed, or in parts."""

    bl_label = "Repair"

    def draw(self, context):
        """Draw the switch, and what goes with it."""
        column, group = self.column(context)
        column.prop(group, "repair", text="Close and Clean")
        wall = column.column()
        wall.active = group.repair
        wall.prop(group, "wall_thickness")
        column.prop(group, "islands")


class FRACTURE_PT_cache(Section, bpy.types.Panel):
    """Keeping a run, and taking it out of the scene."""

    bl_label = "Cache"

    def draw(self, context):
        """Draw where the run is kept, and what can be done with it."""
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
    look_inside.FRACTURE_PT_look_inside,
    FRACTURE_PT_cache,
)
