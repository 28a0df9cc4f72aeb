"""A contact sheet: some frames around the break, rendered without a window and tiled into one picture."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ..core.errors import WorkerError
from ..core.recording import Fragment, Recording, Track
from .import_model import quiet

COLUMNS, TILE, GAP = 4, (320, 240), 4
# Frames from the break on, and the one before it; the last one completes the sheet.
STEPS = (-1, 0, 1, 3, 6, 12, 24)
# Rays a pixel, with the noise taken out behind them and in builds that cannot do that.
SAMPLES, SAMPLES_ALONE = 6, 32
# Pieces that make up so much of the mass have to be in the picture.
SHOWN_MASS = 0.8
# They stay in the picture up to so many radii of the body from where it broke.
FARTHEST = 5.0
# Air around them, and how large a body that never breaks is taken to be, metres.
MARGIN, UNBROKEN_RADIUS = 1.05, 0.2
VIEW = Vector((0.62, -1.0, 0.42)).normalized()
LENS = 50.0


def chosen_frames(recording: Recording, frame_end: int) -> list[int]:
    """Eight frames or fewer: before the first break, at it, after it and the last; evenly spread without a break."""
    start = recording.frame_start
    breaks = [track.break_frame for track in recording.bodies if track.break_frame >= 0]
    if breaks:
        first = min(breaks)
        frames = [*(first + step for step in STEPS), frame_end]
    else:
        frames = np.linspace(start, frame_end, len(STEPS) + 1).round().astype(int).tolist()
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
    centers, radii = _action(recording, frames)
    _aim(scene, centers / unit, radii / unit)
    _light(scene)
    _set_up(scene)
    try:
        with quiet(), tempfile.TemporaryDirectory(prefix="fracture_") as folder:
            _save_tiled([_rendered(scene, frame, Path(folder)) for frame in frames], path)
    except RuntimeError as error:
        raise WorkerError(f"The picture '{path}' cannot be made: {' '.join(str(error).split())}") from error


def _action(recording: Recording, frames: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Centres (N, 3) and radii (N,) of balls around what is to be seen on some frames, metres.

    That is the heavier pieces, and the whole bodies where nothing is broken yet.
    """
    centers, radii = [], []
    for row in [frame - recording.frame_start for frame in frames]:
        for body, track in enumerate(recording.bodies):
            size, break_row = _body_radius(recording, body, track), track.break_frame - recording.frame_start
            if track.break_frame < 0 or row < break_row:
                centers.append(track.poses[row, :3])
                radii.append(size)
                continue
            pieces = _heavier(recording, body, row + recording.frame_start)
            for place, reach in ((piece.poses[row, :3], _radius(piece.surface.points)) for piece in pieces):
                if np.linalg.norm(place - track.poses[break_row, :3]) < FARTHEST * size:
                    centers.append(place)
                    radii.append(reach)
    return np.array(centers), np.array(radii)


def _heavier(recording: Recording, body: int, frame: int) -> list[Fragment]:
    """The heaviest pieces of a body on a frame, which together make up most of it."""
    alive = [
        piece
        for piece in recording.fragments
        if piece.body == body and frame >= piece.birth_frame and not 0 <= piece.death_frame <= frame
    ]
    alive.sort(key=lambda piece: -piece.mass)
    mass = np.cumsum([piece.mass for piece in alive])
    return alive[: int(np.searchsorted(mass, SHOWN_MASS * mass[-1])) + 1] if alive else []


def _radius(points: np.ndarray) -> float:
    return float(np.linalg.norm(points, axis=1).max())


def _body_radius(recording: Recording, body: int, track: Track) -> float:
    reaches = [
        _radius(piece.surface.points + piece.center - track.center)
        for piece in recording.fragments
        if piece.body == body and piece.parent < 0
    ]
    return float(max(reaches, default=UNBROKEN_RADIUS))


def _aim(scene: bpy.types.Scene, centers: np.ndarray, radii: np.ndarray) -> None:
    """Put a camera where it sees balls, scene units, and no more than needed around them."""
    data = bpy.data.cameras.new("Fracture Camera")
    data.lens = LENS
    camera = bpy.data.objects.new("Fracture Camera", data)
    scene.collection.objects.link(camera)
    turn = VIEW.to_track_quat("Z", "Y")
    axes = np.array(turn.to_matrix())
    seen = centers @ axes
    middle = 0.5 * ((seen - radii[:, None]).min(axis=0) + (seen + radii[:, None]).max(axis=0))
    slopes = 0.5 * data.sensor_width / data.lens * np.array([1.0, TILE[1] / TILE[0]])
    reach = (np.abs(seen[:, :2] - middle[:2]) + radii[:, None]) / slopes
    middle[2] += MARGIN * float((reach.max(axis=1) + seen[:, 2] - middle[2]).max())
    camera.location = Vector((axes @ middle).tolist())
    camera.rotation_euler = turn.to_euler()
    size = float(np.ptp(seen, axis=0).max() + radii.max())
    data.clip_start, data.clip_end = 0.01 * size, 1000.0 * size
    scene.camera = camera


def _light(scene: bpy.types.Scene) -> None:
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
    if not bpy.app.build_options.cycles:
        raise WorkerError(
            "This Blender has no Cycles, so there is no picture; use another build, or leave --render out"
        )
    import _cycles

    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *TILE, 100
    render.image_settings.file_format = "PNG"
    render.use_compositing = render.use_sequencer = False
    render.film_transparent = False
    cycles.device = "CPU"
    denoises = _cycles.with_openimagedenoise
    cycles.samples, cycles.use_adaptive_sampling = SAMPLES if denoises else SAMPLES_ALONE, False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 4, 2, 1
    # Its usual quality takes longer than the picture itself at this size.
    cycles.use_denoising, cycles.denoising_quality, cycles.denoising_prefilter = denoises, "FAST", "NONE"


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
