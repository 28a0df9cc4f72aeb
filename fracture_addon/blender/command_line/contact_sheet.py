"""Contact sheet: frames around the break, rendered without a window and tiled into one image."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...core.data.errors import WorkerError
from ...core.data.recording import NEVER, Deformed, Fragment, Recording, Track
from ...core.numerics.rotations import matrices as rotation_matrices
from ...core.storage import files, folders
from ..write import materials
from . import camera, lights
from .import_model import quiet

# Columns of the sheet; width and height of a tile, pixels; pixels between tiles.
COLUMNS, TILE, GAP = 4, (480, 360), 6
# Most tiles of a sheet, and the share of the motion after which they end: small pieces may roll on. A matter of taste.
TILES, SHOWN_MOTION = 8, 0.98
# Samples per pixel: with denoising, with denoising for glass, and without denoising.
SAMPLES, SAMPLES_GLASS, SAMPLES_ALONE = 6, 16, 32
# Fraction of the mass whose fragments must be visible, the heaviest fragments first.
SHOWN_MASS = 0.8
# Largest distance of these fragments from the point of the break, in radii of the body.
FARTHEST = 2.0
# Width of an open crack in a deformable body, over the body's diagonal: it can be seen.
OPEN = 0.01
# Direction from the points to the camera, and focal length, mm. A matter of taste: from the front, above and the right.
VIEW = Vector((0.62, -1.0, 0.42)).normalized()
LENS = 50.0
# Last chunk of a PNG and its checksum. Blender does not report a disk that is full before the end of the file.
PNG_END = b"IEND\xaeB`\x82"


def chosen_frames(recording: Recording, frame_end: int) -> list[int]:
    """Choose up to eight frames that show what happens, by the motion of all that stays in view.

    They are the one before the first break, that of the break, and later ones with more and more motion between them,
    until hardly anything moves. Without a break, there is as much motion between each two of them.
    """
    start, first = recording.frame_start, first_break(recording)
    begin = start if first is None else first
    moved = np.concatenate([[0.0], np.cumsum(_motion(recording)[begin - start : frame_end - start])])
    if moved[-1] == 0.0:
        moved = np.arange(len(moved), dtype=float)
    shares = np.linspace(0.0, 1.0, TILES) if first is None else np.linspace(0.0, 1.0, TILES - 1) ** 2
    rows, order = np.searchsorted(moved, SHOWN_MOTION * shares * moved[-1]), np.arange(len(shares))
    # Each frame comes after the one before.
    rows = np.minimum(np.maximum.accumulate(rows - order) + order, rows[-1])
    return sorted({max(begin - 1, start), *(begin + rows).tolist()})


def first_break(recording: Recording) -> int | None:
    """Return the frame of the first break; ``None`` without one."""
    # A deformable body replaces its object from the start; it breaks when a crack opens.
    deforming = {deformed.body for deformed in recording.deformed}
    breaks = [
        track.break_frame
        for body, track in enumerate(recording.bodies)
        if track.break_frame != NEVER and body not in deforming
    ]
    for deformed in recording.deformed:
        breaks += [recording.frame_start + row for row in _opened(deformed)[:1]]
    return min(breaks, default=None)


def _opened(deformed: Deformed) -> list[int]:
    """Return the rows of the frames on which a crack between two fragments of a deformable body is open."""
    surface, piece = deformed.surface, np.zeros(len(deformed.surface.points), np.int32)
    piece[surface.faces] = deformed.piece_of_face[:, None]
    _, place = np.unique(surface.points, axis=0, return_inverse=True)
    order = np.argsort(place, kind="stable")
    one, other = order[:-1], order[1:]
    faces_crack = (place[one] == place[other]) & (piece[one] != piece[other])
    one, other = one[faces_crack], other[faces_crack]
    widths = [np.linalg.norm(points[one] - points[other], axis=1).max(initial=0.0) for points in deformed.points]
    return np.flatnonzero(np.array(widths) > OPEN * surface.diagonal).tolist()


def render_sheet(context: Any, recording: Recording, frame_end: int, path: Path) -> None:
    """Render the sheet. Save the scene before, because a camera, lights and render settings are added to it.

    Args:
        context: Context of a scene with a baked recording.
        recording: The recording, for the positions of the fragments.
        frame_end: Last frame.
        path: Path of the PNG.

    Raises:
        WorkerError: The sheet cannot be rendered or written.
    """
    scene, frames = context.scene, chosen_frames(recording, frame_end)
    places = set_up(scene, recording, [[frame] for frame in frames], TILE)
    try:
        with quiet(), folders.temporary() as folder:
            _save_tiled([_rendered(scene, *shot, folder) for shot in zip(frames, places, strict=True)], path)
    except (RuntimeError, OSError) as error:
        raise WorkerError(
            f"The image '{path}' cannot be rendered: {' '.join(str(error).split())}; "
            "choose another folder or omit --render"
        ) from error


def set_up(
    scene: bpy.types.Scene, recording: Recording, shots: Sequence[Sequence[int]], size: tuple[int, int]
) -> list[Vector]:
    """Add a camera that sees the bodies, and lights, and set up Cycles.

    Args:
        scene: Scene with the baked recording.
        recording: The recording, for the positions of the fragments.
        shots: Frames on which the camera is at the same place.
        size: Width and height of an image, pixels.

    Returns:
        The place (3,) of the camera for each shot; it is at the first.

    Raises:
        WorkerError: This Blender cannot render.
    """
    seen = [action(scene, recording, frames) / scene.unit_settings.scale_length for frames in shots]
    places = camera.aim(scene, seen, VIEW, size, LENS)
    lights.add_lights(scene, VIEW)
    _set_up(scene, size)
    return places


def action(scene: bpy.types.Scene, recording: Recording, frames: Sequence[int]) -> np.ndarray:
    """Return the corners (N, 3), metres, of boxes around the visible bodies on some frames.

    These are the heavier fragments, whole bodies before their break, and deformable bodies without what flew off.
    """
    boxes = [_body_box(scene, recording, body, track) for body, track in enumerate(recording.bodies)]
    reaches = [_reach(box) for box in boxes]
    corners = []
    for row in [frame - recording.frame_start for frame in frames]:
        shown = [_box(_gathered(deformed.points, row)) for deformed in recording.deformed]
        for box, track in zip(boxes, recording.bodies, strict=True):
            if row < track.break_frame - recording.frame_start:
                shown.append(_placed(box, track.poses[row]))
        heavy, away = _heavier(recording, row + recording.frame_start), []
        for piece in heavy:
            track = recording.bodies[piece.body]
            center = track.poses[track.break_frame - recording.frame_start, :3]
            away.append(np.linalg.norm(piece.poses[row, :3] - center) / reaches[piece.body])
        # The nearest one if all have left.
        farthest = 1.0 if shown else max(1.0, min(away, default=1.0))
        near = [piece for piece, distance in zip(heavy, away, strict=True) if distance <= farthest]
        corners += shown + [_placed(_box(piece.surface.points), piece.poses[row]) for piece in near]
    return np.concatenate(corners)


def _motion(recording: Recording) -> np.ndarray:
    """Return how far, m, the bodies move from each frame to the next (T - 1,): the sum of their mean distances.

    The mean is over the mass of a rigid body, without fragments that flew off, and over the points of a deformable one.
    """
    moved = [
        np.array([np.linalg.norm(now - before, axis=1).mean() for before, now in itertools.pairwise(deformed.points)])
        for deformed in recording.deformed
    ]
    frames = recording.frame_start + np.arange(len(recording.bodies[0].poses) - 1)
    for body, track in enumerate(recording.bodies):
        moved.append(np.where(frames < track.break_frame, _steps(track.poses), 0.0))
        pieces = [piece for piece in recording.fragments if piece.body == body]
        if not pieces:
            continue
        center = track.poses[track.break_frame - recording.frame_start, :3]
        reach = _reach(_box(_first_points(recording, body, track)))
        mass = sum(piece.mass for piece in pieces if piece.parent < 0)
        for piece in pieces:
            exists = (piece.birth_frame <= frames) & (frames < piece.death_frame)
            near = np.linalg.norm(piece.poses[:-1, :3] - center, axis=1) < reach
            moved.append(np.where(exists & near, piece.mass / mass * _steps(piece.poses), 0.0))
    return np.sum(moved, axis=0)


def _steps(poses: np.ndarray) -> np.ndarray:
    """Return the distances (T - 1,), m, between the positions of poses (T, 7)."""
    return np.linalg.norm(np.diff(poses[:, :3], axis=0), axis=1)


def _reach(box: np.ndarray) -> float:
    """Return the largest distance, m, from the point of the break of fragments that are to be seen.

    Args:
        box: (8, 3) m, corners of the box around the body, relative to its centre.
    """
    return FARTHEST * float(np.linalg.norm(box, axis=1).max())


def _gathered(points: np.ndarray, row: int) -> np.ndarray:
    """Return the points (N, 3) of a row that are as near to their median as all points (F, P, 3) are at the start."""
    start, now = (points[number] - np.median(points[number], axis=0) for number in (0, row))
    near = np.linalg.norm(now, axis=1) <= np.linalg.norm(start, axis=1).max()
    return points[row, near].astype(float)


def _heavier(recording: Recording, frame: int) -> list[Fragment]:
    """Return the heaviest fragments on a frame, up to the fraction ``SHOWN_MASS`` of the mass of all."""
    alive = [piece for piece in recording.fragments if piece.birth_frame <= frame < piece.death_frame]
    alive.sort(key=lambda piece: -piece.mass)
    mass = np.cumsum([piece.mass for piece in alive])
    return alive[: int(np.searchsorted(mass, SHOWN_MASS * mass[-1])) + 1] if alive else []


def _box(points: np.ndarray) -> np.ndarray:
    """Return the corners (8, 3) of the bounding box of points."""
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array(list(itertools.product(*zip(low, high, strict=True))))


def _placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    return points @ rotation_matrices(pose[3:]).T + pose[:3]


def _body_box(scene: bpy.types.Scene, recording: Recording, body: int, track: Track) -> np.ndarray:
    """Return the corners (8, 3), m, of a box around a body at rest, relative to its centre of mass.

    It is the box of the body's first fragments, or of its object if it does not break.
    """
    points = _first_points(recording, body, track)
    if len(points):
        return _box(points)
    scene.frame_set(recording.frame_start)
    whole: Any = scene.objects[track.name]
    matrix, pose = scene.unit_settings.scale_length * np.array(whole.matrix_world), track.poses[0]
    corners = np.array(whole.bound_box) @ matrix[:3, :3].T + matrix[:3, 3]
    return (corners - pose[:3]) @ rotation_matrices(pose[3:])


def _first_points(recording: Recording, body: int, track: Track) -> np.ndarray:
    """Return the points (N, 3), m, of a body's first fragments at rest, relative to its centre of mass."""
    parts = [
        piece.surface.points + piece.center - track.center
        for piece in recording.fragments
        if piece.body == body and piece.parent < 0
    ]
    return np.concatenate([np.zeros((0, 3)), *parts])


def _set_up(scene: bpy.types.Scene, size: tuple[int, int]) -> None:
    """Set up Cycles. The other engines need a graphics context even without a window."""
    if not bpy.app.build_options.cycles:
        raise WorkerError("This Blender has no Cycles and cannot render; use another build, or omit --render")
    import _cycles

    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"  # type: ignore[assignment]
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    view: Any = scene.view_settings
    view.view_transform = "Standard"
    render.use_compositing = render.use_sequencer = False
    render.film_transparent = False
    cycles.device = "CPU"
    denoises = _cycles.with_openimagedenoise
    glass = any(materials.is_glass(material) for material in bpy.data.materials if material.users)
    cycles.samples = (SAMPLES_GLASS if glass else SAMPLES) if denoises else SAMPLES_ALONE
    cycles.use_adaptive_sampling = False
    # Enough bounces for two walls of glass and back.
    cycles.max_bounces = cycles.transmission_bounces = 9
    cycles.diffuse_bounces, cycles.glossy_bounces = 2, 2
    # At this size, denoising with the default quality takes longer than rendering. Albedo and normals keep textures
    # sharp, but are themselves noisy behind glass.
    cycles.use_denoising, cycles.denoising_quality, cycles.denoising_prefilter = denoises, "FAST", "NONE"
    cycles.denoising_input_passes = "RGB" if glass else "RGB_ALBEDO_NORMAL"


def _rendered(scene: Any, frame: int, place: Vector, folder: Path) -> np.ndarray:
    """Render a frame from a place, and return its pixels (height, width, 4), bottom row first."""
    scene.frame_set(frame)
    scene.camera.location = place
    scene.render.image_settings.file_format = "PNG"
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
    with files.replacing(path, sync=True) as part:
        image.filepath_raw, image.file_format = str(part), "PNG"
        image.save()
        if not part.read_bytes().endswith(PNG_END):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    bpy.data.images.remove(image)
