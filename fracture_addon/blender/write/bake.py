"""Write a recording into the scene: one collection of keyframed fragments per object.

The source's own data does not change. A constraint moves it until it breaks, and drivers hide it from then on (see
``result_motion``). Its fragments are in the collection "<object> Fragments", beside the object's own collection.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.data.job import Job
from ...core.data.recording import NEVER, Fragment, Recording, Track
from ...core.numerics.rotations import continuous
from ...core.numerics.rotations import matrices as rotation_matrices
from ..read import motion, settings
from ..scene import ownership, result_lookup, result_motion
from ..scene.collections import beside, home
from . import (
    at_rest,
    break_marker,
    events,
    looks,
    materials,
    mesh_cache,
    one_object,
    piece_colors,
    piece_nodes,
    released_shape,
    results,
)
from .keyframes import key_poses, key_visibility
from .mesh import Look, write_meshes, write_rest, write_weights
from .playhead import evaluate_again
from .report import report

# Custom properties of a fragment; if one object shows many fragments, attributes of its points.
BIRTH, REST = piece_nodes.BIRTH, one_object.REST


def bake(
    context: Any,
    job: Job,
    recording: Recording,
    objects: Sequence[bpy.types.Object],
    seconds: Mapping[str, float],
    cache_folder: Path | None = None,
) -> list[bpy.types.Collection]:
    """Write a recording into the scene. It replaces earlier results of the same objects.

    Args:
        context: Context of the scene that ``job`` was read from.
        job: The simulated job.
        recording: Its result.
        objects: One object per body of the job, in its order.
        seconds: s, duration of each stage, for the report.
        cache_folder: Folder for the files of deformed objects; that of the scene by default.

    Returns:
        One collection per object.
    """
    scene = context.scene
    if job.is_at_rest:
        recording = at_rest.always_visible(recording)
    # List the objects before any is removed, because Blender lists removed objects as None until its next update.
    by_name = {obj.name: obj for obj in context.view_layer.objects if obj.library is None}
    projectiles = [by_name[track.name] for track in recording.projectiles if track.name in by_name]
    # Write files first, so that a full disk does not change the scene.
    unit = np.float32(scene.unit_settings.scale_length)
    start, files = recording.frame_start, {}
    for deformed in recording.deformed:
        name = f"{objects[deformed.body].name} Deformed"
        files[deformed.body] = path = mesh_cache.path_of(scene, name, deformed, start, cache_folder)
        mesh_cache.write(path, deformed.points / unit, start)
    # Keep the collections for the new results, because the artist may have changed their settings.
    results.take_out(objects, [item for obj in objects if (item := result_lookup.collection_of(obj)) is not None])
    for obj in projectiles:
        result_motion.release(obj)
    colliders = [by_name[item.name] for item in job.colliders if item.name in by_name]
    recording, wholes = released_shape.released_shapes(context, job, recording, objects, colliders)
    baker = _Baker(context, job, recording, wholes, [*objects, *projectiles], files)
    collections = [baker.result(row, obj) for row, obj in enumerate(objects)]
    name = uuid.uuid4().hex
    for row, (obj, collection) in enumerate(zip(objects, collections, strict=True)):
        collection[result_lookup.PROJECTILES] = {str(i): item for i, item in enumerate(projectiles)}
        collection[result_lookup.TOGETHER] = {str(i): item for i, item in enumerate(objects)}
        collection[result_lookup.BAKE] = name
        collection[result_lookup.REPORT] = report(job, recording, row, seconds, obj)
        if (frame := _first_break(job, recording, row)) is not None:
            break_marker.add(scene, collection, obj, frame)
    for row, obj in enumerate(objects):
        baker.source(row, obj)
    for track in recording.projectiles:
        if track.name in by_name:
            baker.follow(by_name[track.name], track, track.poses)
    evaluate_again(scene)
    return collections


class _Baker:
    """Writes the parts of one recording.

    Attributes:
        unit: Metres per scene unit.
    """

    def __init__(
        self,
        context: Any,
        job: Job,
        recording: Recording,
        wholes: Mapping[int, Fragment],
        objects: Sequence[bpy.types.Object],
        files: Mapping[int, Path],
    ):
        self.unit = context.scene.unit_settings.scale_length
        self._scene, self._job, self._recording = context.scene, job, recording
        self._wholes, self._files = wholes, files
        self._depths = piece_colors.depths_of(recording.fragments)
        # The artist's own animation of these objects. The added motion must not repeat it.
        with motion.visiting(context.scene):
            context.scene.frame_set(job.frame_start)
            depsgraph = context.evaluated_depsgraph_get()
            self._rest = {obj.name: motion.world_matrix(obj, depsgraph) for obj in objects}
            moving = [obj for obj in objects if motion.may_move(obj)]
            frames = range(job.frame_start, job.frame_end + 1)
            self._own_motion = motion.sample(context, moving, frames)

    def result(self, row: int, obj: bpy.types.Object) -> bpy.types.Collection:
        """Write an object's fragments into its collection, and return it."""
        collection = result_lookup.collection_of(obj) or bpy.data.collections.new(f"{obj.name} Fragments")
        if collection not in self._scene.collection.children_recursive:
            beside(self._scene, obj).children.link(collection)
        looks.follow(obj, Matrix(self._rest[obj.name].tolist()))
        pieces = [*self._fragments(row, obj), *self._deformed(row, obj), *self._events(row, obj)]
        for piece in pieces:
            piece[result_lookup.SOURCE] = obj.name
            collection.objects.link(piece)
        ownership.give(obj, result_lookup.RESULT, collection)
        collection[result_lookup.PIECES] = {str(i): item for i, item in enumerate(pieces)}
        return collection

    def _fragments(self, row: int, obj: bpy.types.Object) -> list[bpy.types.Object]:
        """Create the objects that show an object's fragments, in their order, and then its debris."""
        rows = [number for number, fragment in enumerate(self._recording.fragments) if fragment.body == row]
        mine = [self._recording.fragments[number] for number in rows]
        depths = [self._depths[number] for number in rows]
        colors = np.tile(np.array(obj.color), (len(mine), 1))
        if obj.fracture.piece_colors != "OBJECT":
            seed = self._job.bodies[row].settings.seed
            colors = piece_colors.colors(obj.fracture.piece_colors, mine, depths, seed)
        if obj.fracture.piece_colors == "ATTRIBUTE":
            mine = piece_colors.painted(mine, colors)
        if row in self._wholes:
            mine = [*mine, released_shape.alike(self._wholes[row], mine)]
            depths = [*depths, 0]
        pieces = list(self._pieces(row, obj, mine, depths))
        for piece in pieces:
            piece.color, piece.pass_index = obj.color, obj.pass_index
        if not obj.fracture.one_object:
            for piece, color in zip(pieces, colors, strict=False):
                piece.color = color
            numbers = {fragment: number for number, fragment in enumerate(rows)}
            for piece, fragment in zip(pieces, rows, strict=False):
                if (parent := self._recording.fragments[fragment].parent) in numbers:
                    piece[result_lookup.PARENT] = numbers[parent]
        return pieces

    def _pieces(
        self, row: int, obj: Any, mine: Sequence[Fragment], depths: Sequence[int]
    ) -> Iterator[bpy.types.Object]:
        """Yield uncoloured objects for an object's fragments, in their order, and then for its debris."""
        if not mine:
            return
        look = look_of(obj)
        start, to_source = self._recording.frame_start, np.linalg.pinv(self._rest[obj.name])
        if not obj.fracture.one_object:
            digits = max(3, len(str(len(mine))))
            names = [f"{obj.name} Fragment {number:0{digits}}" for number in range(1, len(mine) + 1)]
            if row in self._wholes:
                names[-1] = f"{obj.name} Whole"
            # Create all meshes before any object: for each material of a new mesh, Blender visits all objects.
            meshes = write_meshes(names, mine, look, self.unit)
            pieces = [self._piece(*each, to_source) for each in zip(names, meshes, mine, depths, strict=True)]
            if self._job.is_at_rest:
                at_rest.place(pieces, mine, self.unit)
            else:
                self._key(pieces, mine)
            yield from pieces
        else:
            yield one_object.write_pieces(f"{obj.name} Pieces", mine, look, to_source, start, self.unit)
        seed = self._job.bodies[row].settings.seed
        for debris in self._recording.debris:
            if debris.body == row:
                yield one_object.write_debris(f"{obj.name} Debris", debris, seed, look, start, self.unit)

    def _piece(
        self, name: str, mesh: bpy.types.Mesh, fragment: Fragment, depth: int, to_source: np.ndarray
    ) -> bpy.types.Object:
        """Create an object for one fragment."""
        piece = bpy.data.objects.new(name, mesh)
        write_rest(mesh, (fragment.surface.points + fragment.center) / self.unit)
        write_weights(piece, fragment.surface)
        piece[BIRTH] = fragment.birth_frame
        piece[result_lookup.MASS], piece[result_lookup.DEPTH] = fragment.mass, depth
        piece[REST] = (to_source @ Matrix.Translation(fragment.center / self.unit)).ravel().tolist()
        return piece

    def _key(self, pieces: Sequence[bpy.types.Object], mine: Sequence[Fragment]) -> None:
        """Add keyframes for poses and visibility of fragments."""
        start, first, curves = self._recording.frame_start, None, []
        for piece, fragment in zip(pieces, mine, strict=True):
            curves.append(key_poses(piece, fragment.poses, start, self.unit, first))
            animation: Any = piece.animation_data
            first = first or animation.action
        for keyed, fragment in zip(curves, mine, strict=True):
            key_visibility(keyed, fragment, start)

    def _deformed(self, row: int, obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
        """Yield the objects that show a deformable body."""
        start = self._recording.frame_start
        for deformed in self._recording.deformed:
            if deformed.body == row:
                name = f"{obj.name} Deformed"
                shown = mesh_cache.add_object(name, deformed, look_of(obj), self.unit, start, self._files[row])
                shown.color, shown.pass_index = obj.color, obj.pass_index
                shown[BIRTH] = start
                yield shown

    def _events(self, row: int, obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
        """Yield the object that shows an object's events, if they are wanted, and the run logged them."""
        found = self._recording.events
        if not (settings.wants_events(obj) and self._job.log_events) or self._job.is_at_rest:
            return
        inside = look_of(obj).materials[-1] if obj.fracture.events == "DUST" else None
        yield events.write_events(
            self._scene, obj, found.rows(found.bodies == row), self._recording.frame_start, inside
        )

    def source(self, row: int, obj: bpy.types.Object) -> None:
        """Move the source until it breaks, and hide it from then on."""
        track, keyed = self._recording.bodies[row], self._job.bodies[row].track
        # An object that is kinematic throughout needs no added motion.
        if keyed is None or 1 < len(keyed) < len(track.poses):
            self.follow(obj, track, _until(track.poses, track.break_frame - self._recording.frame_start))
        if track.break_frame != NEVER:
            result_motion.hide_from(obj, self._recording.frame_start, track.break_frame)

    def follow(self, obj: bpy.types.Object, track: Track, poses: np.ndarray) -> None:
        """Move an object along the poses (T, 7) of its centre of mass."""
        rest = np.array([[*track.center, 1.0, 0.0, 0.0, 0.0]])
        poses = _without(poses, track.center, self._own_motion.get(obj.name), self.unit)
        poses = continuous(np.concatenate([rest, poses]))
        if motion.stands_still(poses, max(obj.dimensions[:]) * self.unit or 1.0):
            return
        empty = bpy.data.objects.new(f"{obj.name} Motion", None)
        empty.hide_viewport = True  # else it stays visible after the object is hidden
        home(self._scene, obj).objects.link(empty)
        start = self._recording.frame_start
        key_poses(empty, poses[1:], start, self.unit)
        result_motion.follow(obj, empty, track.center / self.unit, start)


def _first_break(job: Job, recording: Recording, row: int) -> int | None:
    """Return the frame on which a body first breaks; ``None`` if it does not, is at rest, or deforms throughout."""
    if job.is_at_rest or any(item.body == row for item in recording.deformed):
        return None
    if job.bodies[row].settings.repair.separates_islands:  # islands are fragments from the first frame on
        births = [item.birth_frame for item in recording.fragments if item.body == row and item.parent >= 0]
        return min(births, default=None)
    frame = recording.bodies[row].break_frame
    return None if frame == NEVER else frame


def _until(poses: np.ndarray, row: int) -> np.ndarray:
    """Return poses that are constant from a row on: those of the row before it."""
    result = poses.copy()
    if row < len(result):
        result[row:] = result[max(row - 1, 0)]
    return result


def _without(poses: np.ndarray, center: np.ndarray, own: np.ndarray | None, unit: float) -> np.ndarray:
    """Return the poses of ``center`` (metres) to add to an object's own motion (T, 4, 4, scene units)."""
    if own is None:
        return poses
    wanted = np.zeros((len(poses), 4, 4))
    wanted[:, 3, 3] = 1.0
    wanted[:, :3, :3] = rotation_matrices(poses[:, 3:])
    wanted[:, :3, 3] = poses[:, :3] / unit - wanted[:, :3, :3] @ (center / unit)
    on_top = wanted @ own[0] @ np.linalg.pinv(own)
    still = np.concatenate([np.eye(4)[None], on_top])
    result = motion.rigid_motion(still, center / unit)[1:]
    result[:, :3] *= unit
    return result


def look_of(obj: bpy.types.Object) -> Look:
    """Return the materials and layers of an object's fragments."""
    own = [slot.material for slot in obj.material_slots] or [None]
    interior = obj.fracture.interior_material or materials.interior(obj)
    if obj.type != "MESH":
        return Look([*own, interior], len(own))
    mesh: Any = obj.data
    render_uv = next((layer.name for layer in mesh.uv_layers if layer.active_render), "")
    return Look(
        [*own, interior],
        len(own),
        mesh.uv_layers.active.name if mesh.uv_layers.active else "",
        render_uv,
        piece_colors.ATTRIBUTE
        if obj.fracture.piece_colors == "ATTRIBUTE"
        else mesh.color_attributes.active_color_name or "",
        mesh.color_attributes.default_color_name or "",
    )
