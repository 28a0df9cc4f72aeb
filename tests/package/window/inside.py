"""Runs inside the driven Blender: sets a jar above a floor, then writes down what is going on, again and again.

The driver presses keys and buttons; this file never calls an operator of ours. It opens a new file when the driver
puts a file named ``new_file`` beside it; for that, and for one named ``finer``, the jar gets so many cells that a run
takes long. A file named ``load`` loads the saved file. While there is one named ``hold_render``, a render stays on its
frame.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from pathlib import Path

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector

PLACE = Path(os.environ["FRACTURE_WINDOW_PLACE"])
THEME, SCALE = os.environ["FRACTURE_WINDOW_THEME"], float(os.environ["FRACTURE_WINDOW_SCALE"])
SAVED = PLACE / "jar.blend"
TICK_SECONDS = 0.2
# Pixels around a place that must show the same piece, so that a click near it meets no other one.
AROUND = [(0, 0), (6, 0), (-6, 0), (0, 6), (0, -6)]
# Cells with which a run takes long enough to be cancelled.
LONG = 40_000


def module(name):
    """A module of the installed extension."""
    (known,) = [known for known in sys.modules if known.endswith(".fracture_addon.blender.registration")]
    return importlib.import_module(f"{known.rpartition('.')[0]}.{name}")


def build_scene():
    """A jar half a metre above a floor that Blender's own rigid-body settings name as such."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_plane_add(size=3.0)
    floor = bpy.context.object
    floor.name = "Floor"
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.ops.wm.obj_import(filepath=str(PLACE / "old_jar" / "old_jar.obj"))
    jar = bpy.context.selected_objects[0]
    jar.name = "Jar"
    jar.scale = (0.3 / max(jar.dimensions),) * 3
    bpy.context.view_layer.objects.active = jar
    bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY", center="BOUNDS")
    jar.location = (0.0, 0.0, 0.8)
    jar.rotation_euler = (1.9, 0.3, 0.0)
    jar.fracture.resolution, jar.fracture.break_depth, jar.fracture.violence = 3000, 1, 4.0
    floor.select_set(False)
    jar.select_set(True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 48
    # Blender keeps one physics world for the viewport and the thread of a render, and ends itself when both advance it
    # at once. Only the settings of the floor matter here.
    scene.rigidbody_world.enabled = False
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            view = area.spaces.active.region_3d
            view.view_location = (0.2, 0.0, 0.3)
            view.view_distance = 1.7
            view.view_rotation = (0.82, 0.47, 0.17, 0.28)


def follow_orders():
    """Do what an observer asks for by files."""
    if (PLACE / "new_file").exists():
        (PLACE / "new_file").unlink()
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    elif "Jar" not in bpy.data.objects:  # a new file, now with its window
        build_scene()
        bpy.data.objects["Jar"].fracture.resolution = LONG
    if (PLACE / "load").exists():
        (PLACE / "load").unlink()
        bpy.ops.wm.open_mainfile(filepath=str(SAVED))
    if (PLACE / "finer").exists():
        bpy.data.objects["Jar"].fracture.resolution = LONG
        (PLACE / "finer").unlink()


def write_state():
    """One line of JSON: what an observer needs to know."""
    write_state.count += 1
    # Writing is forbidden while another thread renders; the next tick tries again.
    with contextlib.suppress(AttributeError):
        follow_orders()
    active = run.active
    pieces = [obj for obj in bpy.data.objects if "fracture_source" in obj]
    window = bpy.context.window_manager.windows[0]  # a timer has no window after a file was loaded
    tool = getattr(window.workspace.tools.from_space_view3d_mode("OBJECT"), "idname", "")
    aimed = [operator for operator in window.modal_operators if operator.bl_idname == "FRACTURE_OT_impact_tool"]
    state = {
        "tick": write_state.count,
        "active": active is not None,
        "pid": active.process.pid if active else None,
        "stage": active.process.progress.stage if active else "",
        "share": active.process.progress.share if active else 0.0,
        "message": run.message.text if run.message else "",
        "tool": tool,
        "tab": open_tab(window),
        "aiming": bool(aimed),
        "cracks": any(operator.tool.cracks is not None for operator in aimed),
        "pieces": len(pieces),
        "piece_at": place_of_a_piece(window, pieces) if tool == "fracture.pull_piece" else None,
        "menu": pointer.is_held,
        "shown": sum(obj.visible_get(view_layer=window.view_layer) for obj in pieces),
        "impacts": sum(obj.type == "EMPTY" for obj in bpy.data.objects),
        "drawn": sum(obj.fracture.place == "SHEET" for obj in bpy.data.objects),
        "saved": not bpy.data.is_dirty,
        "material": [obj.fracture.material_name for obj in bpy.data.objects if obj.name == "Jar"],
        "cells": [obj.fracture.resolution for obj in bpy.data.objects if obj.name == "Jar"],
        "frame": bpy.context.scene.frame_current,
        "playing": any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows),
        "rendering": bpy.app.is_job_running("RENDER"),
        "rendered": len(list(PLACE.glob("render_*"))),
    }
    part = PLACE / "state.part"
    part.write_text(json.dumps(state))
    os.replace(part, PLACE / "state.json")
    return TICK_SECONDS


def open_tab(window):
    """Name of the tab of the 3D viewport's sidebar; empty while that is closed."""
    (area,) = [area for area in window.screen.areas if area.type == "VIEW_3D"]
    (sidebar,) = [region for region in area.regions if region.type == "UI"]
    return sidebar.active_panel_category if sidebar.width > 1 else ""


def place_of_a_piece(window, pieces):
    """Pixels at a scale of 1, from the left and the top, where the viewport shows the heaviest piece that it can."""
    (area,) = [area for area in window.screen.areas if area.type == "VIEW_3D"]
    (region,) = [region for region in area.regions if region.type == "WINDOW"]
    view, graph = area.spaces.active.region_3d, window.view_layer.depsgraph

    def seen(at):
        ray = region_2d_to_origin_3d(region, view, at), region_2d_to_vector_3d(region, view, at)
        return window.scene.ray_cast(graph, *ray)[4]

    for piece in sorted(pieces, key=lambda piece: -piece["fracture_mass"]):
        for face in piece.data.polygons if piece.visible_get(view_layer=window.view_layer) else ():
            at = location_3d_to_region_2d(region, view, piece.matrix_world @ face.center)
            x, y = region.x + at.x, region.y + at.y
            covered = any(
                item.x <= x < item.x + item.width and item.y <= y < item.y + item.height
                for item in area.regions
                if item != region
            )
            if not covered and all(seen(at + Vector(offset)) == piece for offset in AROUND):
                return [round(x / SCALE), round((window.height - y) / SCALE)]
    return None


@bpy.app.handlers.persistent
def hold(*_):
    """Keep a render on its frame, in the thread of the render."""
    while (PLACE / "hold_render").exists():
        time.sleep(0.1)


def prepare_render():
    """Small pictures without a window of their own, in Cycles: no graphics context shared with the viewport."""
    render, cycles = bpy.context.scene.render, bpy.context.scene.cycles
    render.engine, render.resolution_x, render.resolution_y = "CYCLES", 64, 64
    cycles.samples, cycles.use_denoising = 1, False
    render.filepath = str(PLACE / "render_")
    bpy.context.preferences.view.render_display_type = "NONE"
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    bpy.app.handlers.render_post.append(hold)


def set_look():
    """The theme and the scale of the interface that the driver wants."""
    (theme,) = (Path(folder) / f"{THEME}.xml" for folder in bpy.utils.preset_paths("interface_theme"))
    bpy.ops.script.execute_preset(filepath=str(theme), menu_idname="USERPREF_MT_interface_theme_presets")
    bpy.context.preferences.view.ui_scale = SCALE


def begin():
    """Once the window stands."""
    set_look()
    build_scene()
    prepare_render()
    bpy.ops.wm.save_as_mainfile(filepath=str(SAVED))
    bpy.ops.ed.undo_push(message="Scene")
    write_state.count = 0
    bpy.app.timers.register(write_state, persistent=True)


run, pointer = module("process.run"), module("setup.piece_pointer").pointer
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.use_save_prompt = False
bpy.app.timers.register(begin, first_interval=1.0)
