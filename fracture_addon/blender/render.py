"""A contact sheet: some frames around the break, rendered without a window and tiled into one picture."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ..core.errors import WorkerError
from ..core.recording import Recording
from .import_model import quiet

COLUMNS, TILE, GAP = 4, (320, 240), 4
# Frames after the break; the one before it and the last one complete the sheet.
BEFORE, AFTER = 2, (0, 1, 3, 6, 12, 24)
SAMPLES = 12
# Pieces that make up so much of the mass have to be in the picture.
SHOWN_MASS = 0.9
VIEW = Vector((0.62, -1.0, 0.42)).normalized()
LENS = 50.0


def chosen_frames(recording: Recording, frame_end: int) -> list[int]:
    """Eight frames or fewer: before the first break, at it, after it and the last; evenly spread without a break."""
    start = recording.frame_start
    breaks = [track.break_frame for track in recording.bodies if track.break_frame >= 0]
    if breaks:
        first = min(breaks)
        frames = [first - BEFORE, *(first + step for step in AFTER), frame_end]
    else:
        frames = np.linspace(start, frame_end, len(AFTER) + 2).round().astype(int).tolist()
    return sorted({min(max(frame, start), frame_end) for frame in frames})


def render_sheet(context, recording: Recording, frame_end: int, path: Path) -> None:
    """Render the sheet. A camera, lights and render settings stay in the scene: save it before.

    Args:
        context: Of a scene with a baked recording.
        recording: What was baked, for the places of the pieces.
        frame_end: Last frame.
        path: Of the PNG.

    Raises:
        WorkerError: It cannot be rendered or written.
    """
    scene = context.scene
    frames = chosen_frames(recording, frame_end)
    unit = scene.unit_settings.scale_length
    low, high = (corner / unit for corner in _action_box(recording, frames))
    _light(scene, low, high)
    _aim(scene, low, high)
    _set_up(scene)
    try:
        with quiet(), tempfile.TemporaryDirectory(prefix="fracture_") as folder:
            _save_tiled([_rendered(scene, frame, Path(folder)) for frame in frames], path)
    except RuntimeError as error:
        raise WorkerError(f"The picture '{path}' cannot be made: {' '.join(str(error).split())}") from error


def _action_box(recording: Recording, frames: Sequence[int]) -> np.ndarray:
    """(2, 3) corners of the box around the heavier pieces on some frames, metres."""
    boxes = []
    for frame in frames:
        row = frame - recording.frame_start
        shown = [
            (piece.poses[row, :3], piece.mass, float(np.linalg.norm(piece.surface.points, axis=1).max()))
            for piece in recording.fragments
            if frame >= piece.birth_frame and not 0 <= piece.death_frame <= frame
        ]
        if not shown:
            continue
        centers, masses, radii = (np.array(column) for column in zip(*shown, strict=True))
        order = np.argsort(-masses, kind="stable")
        count = int(np.searchsorted(np.cumsum(masses[order]), SHOWN_MASS * masses.sum())) + 1
        centers, radii = centers[order[:count]], radii[order[:count], None]
        boxes.append(np.stack([(centers - radii).min(axis=0), (centers + radii).max(axis=0)]))
    if not boxes:
        places = np.array(
            [track.poses[frame - recording.frame_start, :3] for track in recording.bodies for frame in frames]
        )
        boxes.append(np.stack([places.min(axis=0), places.max(axis=0)]) + [[-0.25], [0.25]])
    stacked = np.array(boxes)
    return np.stack([stacked[:, 0].min(axis=0), stacked[:, 1].max(axis=0)])


def _aim(scene: bpy.types.Scene, low: np.ndarray, high: np.ndarray) -> None:
    data = bpy.data.cameras.new("Fracture Camera")
    data.lens = LENS
    camera = bpy.data.objects.new("Fracture Camera", data)
    scene.collection.objects.link(camera)
    radius, middle = 0.5 * float(np.linalg.norm(high - low)), Vector((0.5 * (low + high)).tolist())
    half_angle = np.arctan(0.5 * data.sensor_width / data.lens * TILE[1] / TILE[0])
    camera.location = middle + VIEW * (0.9 * radius / float(np.sin(half_angle)))
    camera.rotation_euler = VIEW.to_track_quat("Z", "Y").to_euler()
    data.clip_start, data.clip_end = 0.01 * radius, 1000.0 * radius
    scene.camera = camera


def _light(scene: bpy.types.Scene, low: np.ndarray, high: np.ndarray) -> None:
    world = bpy.data.worlds.new("Fracture World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.8, 0.87, 1.0, 1.0)
    background.inputs["Strength"].default_value = 0.6
    scene.world = world
    sun = bpy.data.lights.new("Fracture Sun", "SUN")
    sun.energy, sun.angle = 2.5, 0.3
    lamp = bpy.data.objects.new("Fracture Sun", sun)
    lamp.rotation_euler = Vector((-0.7, -0.5, 1.0)).to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(lamp)


def _set_up(scene: bpy.types.Scene) -> None:
    """Cycles, because the other engines need a graphics card's context even without a window."""
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *TILE, 100
    render.image_settings.file_format = "PNG"
    render.use_compositing = render.use_sequencer = False
    render.film_transparent = False
    cycles.device = "CPU"
    cycles.samples, cycles.use_adaptive_sampling = SAMPLES, False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 4, 2, 1
    # Its usual quality takes longer than the picture itself at this size.
    cycles.use_denoising, cycles.denoising_quality, cycles.denoising_prefilter = True, "FAST", "NONE"


def _rendered(scene: bpy.types.Scene, frame: int, folder: Path) -> np.ndarray:
    """(height, width, 4) pixels of a frame, bottom row first."""
    scene.frame_set(frame)
    scene.render.filepath = str(folder / f"{frame}.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(4 * TILE[0] * TILE[1], np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(TILE[1], TILE[0], 4)


def _save_tiled(tiles: Sequence[np.ndarray], path: Path) -> None:
    rows = -(-len(tiles) // COLUMNS)
    width, height = COLUMNS * (TILE[0] + GAP) - GAP, rows * (TILE[1] + GAP) - GAP
    sheet = np.ones((height, width, 4), np.float32)
    for number, tile in enumerate(tiles):
        left = number % COLUMNS * (TILE[0] + GAP)
        top = height - number // COLUMNS * (TILE[1] + GAP)
        sheet[top - TILE[1] : top, left : left + TILE[0]] = tile
    image = bpy.data.images.new("Fracture Sheet", width, height, alpha=False)
    image.pixels.foreach_set(sheet.ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)
