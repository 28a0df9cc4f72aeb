"""Menus: material presets, example scenes, and the entries in Blender's own menus."""

from __future__ import annotations

import re
from typing import Any

import bpy

from ..setup import presets
from ..setup.piece_pointer import pointer

# Changes of a piece in the pie menu: left, right, below, above and upper left; texts and icons.
PIECE_CHANGES = (
    ("ANCHOR", "Anchor", "PINNED"),
    ("HIDE", "Hide", "HIDE_ON"),
    ("DUST", "Turn into Dust", "OUTLINER_DATA_POINTCLOUD"),
    ("BREAK", "Break Again", "MOD_EXPLODE"),
    ("RESTORE", "Restore Motion", "LOOP_BACK"),
)
# End of the name of a scene that a paper describes: its authors and year.
OF_A_PAPER = re.compile(r" \d{4}\)$")


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

    bl_label = "Shatter: Example Scenes"

    def draw(self, _context: Any) -> None:
        """List all scene files by their names, those of papers last. Adding one shows it in the viewport."""
        layout: Any = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        files = [str(path) for folder in presets.folders(presets.SCENES) for path in folder.glob("*.py")]
        names = sorted(
            (bool(OF_A_PAPER.search(name)), name, path) for path in files if (name := presets.scene_name(path))
        )
        for row, (is_of_a_paper, name, path) in enumerate(names):
            if is_of_a_paper and row and not names[row - 1][0]:
                layout.separator()
            layout.operator("fracture.add_scene", text=name, translate=False).filepath = path


class FRACTURE_MT_shapes(bpy.types.Menu):
    """Closed meshes from curves, in Blender's menu Add > Mesh."""

    bl_label = "Shatter Shapes"

    def draw(self, _context: Any) -> None:
        """List the shapes."""
        layout: Any = self.layout
        layout.operator("fracture.add_slab", text="Slab from Curve", icon="MESH_PLANE")
        layout.operator("fracture.add_sweep", text="Sweep along Curve", icon="CURVE_BEZCURVE")
        layout.operator("fracture.add_patch", text="Thickened Patch", icon="SURFACE_NSURFACE")


class FRACTURE_MT_shatter(bpy.types.Menu):
    """Operators for the selected objects, in Blender's Object menu and its search (F3)."""

    bl_label = "Shatter"

    def draw(self, _context: Any) -> None:
        """List the operators. They run in the background, as from the panel."""
        layout: Any = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("fracture.shatter", icon="MOD_EXPLODE")
        layout.operator("fracture.fracture_only", text="Fracture Only", icon="MOD_PHYSICS")
        layout.operator("fracture.clear", text="Clear", icon="TRASH")
        layout.menu("FRACTURE_MT_after")
        layout.separator()
        layout.operator("fracture.drop_it", text="Drop It", icon="SORT_ASC")
        layout.operator("fracture.hit_it", text="Hit It", icon="SPHERE")
        layout.operator("fracture.blast_it", text="Blast It", icon="FORCE_FORCE")
        layout.operator_menu_enum("fracture.snap_it", "motion", text="Snap It", icon="VIEW_PAN")
        layout.operator("fracture.quench_it", text="Quench It", icon="TEMP")
        layout.operator("fracture.sing_at_it", text="Sing at It", icon="SPEAKER")
        layout.separator()
        layout.operator("fracture.drop", text="Drop")
        layout.operator("fracture.throw_ball", text="Throw Ball")
        layout.operator("fracture.add_impact", text="Add Impact")
        layout.operator("fracture.impact_tool", text="Impact Tool")
        layout.operator_menu_enum("fracture.cracks_from", "source", text="Cracks From", icon="MOD_EDGESPLIT")
        layout.separator()
        layout.operator("fracture.join", text="Join Objects", icon="LINKED")
        layout.operator("fracture.unjoin", text="Unjoin Objects", icon="UNLINKED")
        layout.operator("fracture.show_joints", text="Show Joints")
        layout.separator()
        layout.operator("fracture.preview_break", text="Preview Break", icon="MOD_WIREFRAME")
        layout.operator("fracture.rough_run", text="Rough Run", icon="SEQUENCE")
        layout.operator("fracture.preview", text="Cell Preview")
        layout.operator("fracture.stress_preview", text="Stress Preview")
        layout.operator("fracture.expected_stress", text="Expected Stress")
        layout.operator("fracture.remove_preview", text="Remove Preview")
        layout.operator("fracture.bake", text="Bake Cached Run")
        layout.operator("fracture.use_look", text="Use Preset's Look")


class FRACTURE_MT_after(bpy.types.Menu):
    """Operators for a result, in the menu Object > Shatter and below the report."""

    bl_label = "After the Break"

    def draw(self, _context: Any) -> None:
        """List the operators."""
        layout: Any = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator_menu_enum(
            "fracture.change_pieces", "change", text="Selected Pieces", icon="RESTRICT_SELECT_OFF"
        )
        layout.operator("fracture.freeze_pieces", text="Freeze Pieces", icon="FREEZE")
        layout.operator("fracture.hide_small_pieces", text="Hide Small Pieces", icon="HIDE_ON")
        layout.operator("fracture.slow_motion", text="Slow Motion", icon="TIME")
        layout.operator("fracture.trim", text="Trim")
        layout.operator("fracture.start_from_frame", text="Start From This Frame")
        layout.separator()
        layout.operator("fracture.hand_over_pieces", text="Hand Over to Rigid Bodies", icon="RIGID_BODY")
        layout.operator("fracture.give_rigid_bodies", text="Make Rigid Bodies")
        layout.separator()
        layout.operator_menu_enum("fracture.export_pieces", "kind", text="Export Pieces", icon="EXPORT")
        layout.operator("fracture.write_events", text="Write Events")
        layout.operator("fracture.add_sound_markers", text="Add Sound Markers", icon="MARKER_HLT")


class FRACTURE_MT_pie(bpy.types.Menu):
    """Operators for the selected objects around the pointer."""

    bl_label = "Shatter"

    def draw(self, _context: Any) -> None:
        """Draw the pie: left, right, below, above, and three corners."""
        layout: Any = self.layout
        pie = layout.menu_pie()
        pie.operator_context = "INVOKE_DEFAULT"
        pie.operator("fracture.drop_it", text="Drop It", icon="SORT_ASC")
        pie.operator("fracture.hit_it", text="Hit It", icon="SPHERE")
        pie.operator("fracture.clear", text="Clear", icon="TRASH")
        pie.operator("fracture.shatter", text="Shatter", icon="MOD_EXPLODE")
        pie.menu("FRACTURE_MT_material_presets", text="Material", icon="MATERIAL")
        pie.operator("fracture.add_impact", text="Impact", icon="EMPTY_SINGLE_ARROW")
        pie.operator("fracture.blast_it", text="Blast It", icon="FORCE_FORCE")


class FRACTURE_MT_piece(bpy.types.Menu):
    """Changes of the piece that the tool Pull a Piece was clicked on."""

    bl_label = "Piece"

    def draw(self, _context: Any) -> None:
        """Draw the pie: left, right, below, above, and a corner."""
        layout: Any = self.layout
        pie = layout.menu_pie()
        for change, text, icon in PIECE_CHANGES:
            if change == "BREAK":
                pie.operator_context = "INVOKE_DEFAULT"
                button = pie.operator("fracture.break_again", text=text, icon=icon)
                button.point = pointer.point
            else:
                pie.operator_context = "EXEC_DEFAULT"
                button = pie.operator("fracture.change_pieces", text=text, icon=icon)
                button.change = change
            button.piece = pointer.chosen


CLASSES = (
    FRACTURE_MT_material_presets,
    FRACTURE_MT_scenes,
    FRACTURE_MT_shapes,
    FRACTURE_MT_shatter,
    FRACTURE_MT_after,
    FRACTURE_MT_pie,
    FRACTURE_MT_piece,
)


def _draw_shatter(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu("FRACTURE_MT_shatter", icon="MOD_EXPLODE")


def _draw_effects(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.operator_context = "INVOKE_DEFAULT"
    menu.layout.operator("fracture.drop_it")
    menu.layout.operator("fracture.hit_it")
    menu.layout.operator("fracture.blast_it")
    menu.layout.operator("fracture.snap_it")
    menu.layout.operator("fracture.quench_it")
    menu.layout.operator("fracture.sing_at_it")


def _draw_scenes(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu("FRACTURE_MT_scenes", icon="MOD_EXPLODE")


def _draw_shapes(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.menu("FRACTURE_MT_shapes", icon="MOD_EXPLODE")


# Blender's menus, and what is added at their ends.
ADDED = {
    "VIEW3D_MT_object": _draw_shatter,
    "VIEW3D_MT_object_context_menu": _draw_shatter,
    "VIEW3D_MT_object_quick_effects": _draw_effects,
    "VIEW3D_MT_add": _draw_scenes,
    "VIEW3D_MT_mesh_add": _draw_shapes,
}


def register() -> None:
    """Add the entries to Blender's menus."""
    for name, draw in ADDED.items():
        getattr(bpy.types, name).append(draw)


def unregister() -> None:
    """Remove the entries from Blender's menus."""
    for name, draw in ADDED.items():
        getattr(bpy.types, name).remove(draw)
