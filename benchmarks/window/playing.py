"""Play many pieces of one object in a window: frames per second on the screen, every frame evaluated and drawn.

Needs a Blender with a window. The view is small and cheap: solid, one light, no overlays, one sample per pixel.
Blender's Python finds the extension's packages in ``FRACTURE_SITE``. Without a graphics card use a virtual screen
(``Xvfb :9 -screen 0 640x480x24``, ``DISPLAY=:9``) and make the window smaller than Blender opens it:

    (sleep 5; xdotool search --name Blender windowsize 240 180) &
    FRACTURE_SITE=FOLDER blender --factory-startup --python benchmarks/window/playing.py -- [--rings 3,2]

Rows: an empty view; the pieces as one mesh that stands still; as instances, which the viewport shows; and as one mesh
whose points move, which renders and exports get.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), os.environ.get("FRACTURE_SITE", "")]

from benchmarks.baking import dressed, moving  # noqa: E402
from fracture_addon.blender import registration  # noqa: E402
from fracture_addon.blender.write import bake  # noqa: E402
from fracture_addon.core.data.job import Body, Job, Settings  # noqa: E402
from fracture_addon.core.data.material import PORCELAIN  # noqa: E402
from fracture_addon.core.data.surface import joined  # noqa: E402
from tests import shapes  # noqa: E402

PIECES, FIRST, PLAYED, SKIPPED = 2000, 100, 100, 10
# Radii of the pieces, small rings that hardly hide one another, and distance of the view, m.
RADIUS, THICKNESS, DISTANCE = 0.008, 0.003, 2.0
LONGEST = 60.0


def course(rings: tuple[int, int]) -> Iterator[float]:
    """Run all measurements; yield the seconds of each pause in which Blender draws."""
    registration.register()
    _set_up()
    # The window may still be given its size.
    yield 8.0
    scene = bpy.context.scene
    piece = dressed(shapes.torus(RADIUS, THICKNESS, *rings))
    yield from _played("empty", 0)
    recording = moving("Source", piece, PIECES)
    whole = joined([item.surface for item in recording.fragments])
    offsets = np.array([item.poses[FIRST, :3] for item in recording.fragments])
    mesh = bpy.data.meshes.new("Standing")
    mesh.from_pydata(whole.points + np.repeat(offsets, len(piece.points), axis=0), [], whole.faces)
    standing = bpy.data.objects.new("Standing", mesh)
    scene.collection.objects.link(standing)
    yield from _played("standing", len(whole.faces))
    bpy.data.objects.remove(standing)
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    source: Any = bpy.context.object
    source.fracture.one_object = True
    job = Job(
        (Body(source.name, piece, PORCELAIN, Settings()),), frame_start=1, frame_end=len(recording.fragments[0].poses)
    )
    recording = moving(source.name, piece, PIECES)
    bake.bake(bpy.context, job, recording, [source], {})
    yield from _played("instances", len(whole.faces))
    for group in bpy.data.node_groups:
        for node in group.nodes:
            if node.bl_idname == "GeometryNodeSwitch":
                group.links.new(node.inputs["False"].links[0].from_socket, node.outputs[0].links[0].to_socket)
    yield from _played("one mesh", len(whole.faces))
    bpy.ops.wm.quit_blender()


def _set_up() -> None:
    """Play as many frames per second as possible, without anything else in the window."""
    context: Any = bpy.context
    context.preferences.system.viewport_aa = "OFF"
    context.preferences.view.show_splash = context.preferences.view.use_save_prompt = False
    context.preferences.view.ui_scale = 0.5
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    scene = context.scene
    scene.sync_mode, scene.render.fps, scene.view_settings.view_transform = "NONE", 1000, "Raw"
    window, area, _ = _view()
    for item in window.screen.bl_rna.properties:
        if item.identifier.startswith("use_play_") and item.identifier != "use_play_3d_editors":
            setattr(window.screen, item.identifier, False)
    space = area.spaces.active
    space.overlay.show_overlays = space.show_gizmo = space.show_region_header = space.show_region_tool_header = False
    space.show_region_toolbar = space.show_region_ui = False
    space.shading.type, space.shading.light, space.shading.color_type = "SOLID", "FLAT", "SINGLE"
    space.shading.show_object_outline = False
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_location, space.region_3d.view_distance = (0.0, 0.0, 0.0), DISTANCE


def _view() -> tuple[Any, Any, Any]:
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area, next(region for region in area.regions if region.type == "WINDOW")


def _played(name: str, triangles: int) -> Iterator[float]:
    """Play some frames and print a row."""
    scene, times = bpy.context.scene, []

    def note(*_):
        times.append(time.perf_counter())

    yield 1.0
    window, area, region = _view()
    scene.frame_set(FIRST)
    bpy.app.handlers.frame_change_post.append(note)
    end, used = time.perf_counter() + LONGEST, time.process_time()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.animation_play(sync=False)
    while len(times) < PLAYED + SKIPPED and time.perf_counter() < end:
        yield 0.2
    used = time.process_time() - used
    bpy.ops.screen.animation_cancel(restore_frame=False)
    bpy.app.handlers.frame_change_post.remove(note)
    frames = 1.0 / np.diff(times[SKIPPED:])
    size, cost = f"{region.width} x {region.height}", 1e3 * used / len(times)
    median, mean = np.median(frames), 1.0 / np.mean(1.0 / frames)
    print(f"{name:10}{triangles:8} triangles, {size}: {median:.1f} fps, {mean:.1f} in the mean, {cost:.0f} ms of CPU")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play many pieces of one object.")
    parser.add_argument("--rings", default="3,2", help="around a piece, and around its ring: 3,2 is 12 triangles")
    chosen = parser.parse_args(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
    around, across = (int(part) for part in chosen.rings.split(","))
    pauses = course((around, across))
    bpy.app.timers.register(lambda: next(pauses, None), first_interval=1.0)
