"""Bake a recording into a scene: meshes, objects, actions and keys.

The baseline keys the same poses one by one with ``keyframe_insert``, on a twentieth of the fragments, scaled up. The
baseline of one object with all fragments is an object per fragment. Playing evaluates one frame after another without
drawing: 41 ms are 24 frames per second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import bpy
import numpy as np

from benchmarks import Row, median_seconds
from fracture_addon.blender import registration
from fracture_addon.blender.write import bake, results
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER, Fragment, Recording, Track
from fracture_addon.core.data.surface import Surface
from tests import shapes

FRAGMENTS, FRAMES, BIRTH, SHARE = 500, 250, 20, 20
MANY, PLAYED = (2000, 5000), range(100, 140)


def rows() -> Iterator[Row]:
    """Yield figures of 500 fragments and more, of 192 triangles each, over 250 frames, with UVs and normals."""
    registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    source = bpy.context.object
    piece = dressed(shapes.torus(0.05, 0.02, 12, 8))
    job = Job((Body(source.name, piece, PORCELAIN, Settings()),), frame_start=1, frame_end=FRAMES)
    recording = moving(source.name, piece, FRAGMENTS)
    seconds = []

    def run():
        start = time.perf_counter()
        bake.bake(bpy.context, job, recording, [source], {})
        seconds.append(time.perf_counter() - start)
        results.clear(bpy.context, [source])

    median_seconds(run)
    baseline = SHARE * _seconds_one_by_one(recording)
    yield Row("bake_500x250", FRAGMENTS, float(np.median(seconds[1:])), "s", baseline)
    for count in MANY:
        recording = moving(source.name, piece, count)
        single = _baked_and_played(source, job, recording, True)
        # The largest number of separate objects would take minutes.
        apart = _baked_and_played(source, job, recording, False) if count < max(MANY) else (None, None)
        yield Row(f"bake_one_object_{count}x250", count, single[0], "s", apart[0])
        yield Row(f"play_one_object_{count}", count, single[1], "ms", apart[1])
    registration.unregister()


def _baked_and_played(source, job: Job, recording: Recording, one_object: bool) -> tuple[float, float]:
    """Return the seconds of baking, and the median milliseconds of a frame."""
    source.fracture.one_object = one_object
    start = time.perf_counter()
    bake.bake(bpy.context, job, recording, [source], {})
    baked = time.perf_counter() - start
    frames = []
    for frame in PLAYED:
        start = time.perf_counter()
        bpy.context.scene.frame_set(frame)
        frames.append(time.perf_counter() - start)
    results.clear(bpy.context, [source])
    return baked, 1e3 * float(np.median(frames))


def dressed(plain: Surface) -> Surface:
    """Add materials, normals and texture coordinates to a surface."""
    normals = np.tile([0.0, 0.0, 1.0], (len(plain.faces), 3, 1))
    return Surface(
        plain.points,
        plain.faces,
        face_attributes={"material_index": np.zeros(len(plain.faces), int), "smooth": np.ones(len(plain.faces), bool)},
        corner_attributes={
            "normal": normals,
            "uv/UVMap": plain.corners[..., :2],
            "uv/interior": plain.corners[..., 1:],
        },
    )


def moving(name: str, piece: Surface, count: int) -> Recording:
    """Return a recording of ``count`` copies of a fragment, each on a random walk."""
    random = np.random.default_rng(0)
    interior = np.arange(len(piece.faces)) % 2 == 0
    fragments = []
    for _ in range(count):
        poses = np.cumsum(random.normal(0.0, 0.01, (FRAMES, 7)), axis=0)
        poses[:, 3] += 1.0
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
        fragments.append(Fragment(0, -1, piece, interior, np.zeros(3), 1.0, BIRTH, NEVER, poses))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (FRAMES, 1))
    return Recording(1, (Track(name, np.zeros(3), BIRTH, still),), (), tuple(fragments))


def _seconds_one_by_one(recording: Recording) -> float:
    objects = [bpy.data.objects.new("Piece", None) for _ in range(FRAGMENTS // SHARE)]
    start = time.perf_counter()
    for obj, fragment in zip(objects, recording.fragments, strict=False):
        obj.rotation_mode = "QUATERNION"
        for row, pose in enumerate(fragment.poses):
            obj.location, obj.rotation_quaternion = pose[:3], pose[3:]
            obj.keyframe_insert("location", frame=row + 1)
            obj.keyframe_insert("rotation_quaternion", frame=row + 1)
    return time.perf_counter() - start
