"""A recording into the scene: a collection of keyed fragments an object.

The source is never changed. Before it breaks it moves by a constraint, and from its break on it is hidden (see
``takeover``); its fragments stand in the collection "<object> Fragments" beside its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ..core.job import Job
from ..core.pose import continuous
from ..core.pose import matrices as rotation_matrices
from ..core.recording import Fragment, Recording, Track
from . import materials, mesh_cache, one_object, piece_colors, piece_nodes, read_motion, released_shape, takeover
from .results import OF, PROJECTILES, REPORT, SOURCE, clear
from .scene_collections import beside, home
from .write_keyframes import key_poses, key_visibility
from .write_mesh import Look, write_meshes, write_rest, write_weights

# Of a piece; of an object with many of them, attributes of its points.
BIRTH, REST = piece_nodes.BIRTH, one_object.REST


def bake(
    context, job: Job, recording: Recording, objects: Sequence[bpy.types.Object], seconds: Mapping[str, float]
) -> list[bpy.types.Collection]:
    """Put a recording into the scene, in place of earlier results of the same objects.

    Args:
        context: The scene that ``job`` was read from.
        job: What was simulated.
        recording: Its result.
        objects: One a body of the job, in its order.
        seconds: Seconds a stage, for the report.

    Returns:
        The collections, one an object.
    """
    scene, view = context.scene, context.view_layer
    # Files first: a full disk leaves the scene as it was.
    unit = np.float32(scene.unit_settings.scale_length)
    for deformed in recording.deformed:
        path = mesh_cache.path_of(scene, f"{objects[deformed.body].name} Deformed")
        mesh_cache.write(path, deformed.points / unit, recording.frame_start)
    clear(context, objects)
    view.update()  # until then, removed objects are empty entries among its objects
    projectiles = [obj for track in recording.projectiles if (obj := view.objects.get(track.name)) is not None]
    for obj in projectiles:
        takeover.release(obj)
    colliders = [obj for item in job.colliders if (obj := view.objects.get(item.name)) is not None]
    recording, wholes = released_shape.released_shapes(context, job, recording, objects, colliders)
    baker = _Baker(context, job, recording, wholes, [*objects, *projectiles])
    collections = []
    for row, obj in enumerate(objects):
        collection = baker.fragments(row, obj)
        baker.deformed(row, obj, collection)
        collection[OF] = obj
        collection[PROJECTILES] = {str(i): item for i, item in enumerate(projectiles)}
        collection[REPORT] = _report(job, recording, row, seconds)
        collections.append(collection)
    for row, obj in enumerate(objects):
        baker.source(row, obj)
    for track in recording.projectiles:
        if (obj := view.objects.get(track.name)) is not None:
            baker.follow(obj, track, track.poses)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return collections


class _Baker:
    """Writes what one recording holds.

    Attributes:
        unit: Metres a scene unit.
    """

    def __init__(
        self,
        context,
        job: Job,
        recording: Recording,
        wholes: Mapping[int, Fragment],
        objects: Sequence[bpy.types.Object],
    ):
        self.unit = context.scene.unit_settings.scale_length
        self._scene, self._job, self._recording = context.scene, job, recording
        self._wholes = wholes
        # How the artist's own animation moves what we are going to move, which has to be taken off our motion.
        with read_motion.visiting(context.scene):
            context.scene.frame_set(job.frame_start)
            depsgraph = context.evaluated_depsgraph_get()
            self._rest = {obj.name: read_motion.world_matrix(obj, depsgraph) for obj in objects}
            moving = [obj for obj in objects if read_motion.may_move(obj)]
            frames = range(job.frame_start, job.frame_end + 1)
            self._own_motion = read_motion.sample(context, moving, frames)

    def fragments(self, row: int, obj: bpy.types.Object) -> bpy.types.Collection:
        """The collection of an object's fragments."""
        collection = bpy.data.collections.new(f"{obj.name} Fragments")
        beside(self._scene, obj).children.link(collection)
        mine = [fragment for fragment in self._recording.fragments if fragment.body == row]
        colors = np.tile(np.array(obj.color), (len(mine), 1))
        if obj.fracture.piece_colors != "OBJECT":
            colors = piece_colors.random_colors(len(mine), self._job.bodies[row].settings.seed)
        if obj.fracture.piece_colors == "ATTRIBUTE":
            mine = piece_colors.painted(mine, colors)
        if row in self._wholes:
            mine = [*mine, released_shape.alike(self._wholes[row], mine)]
        for piece in self._pieces(row, obj, mine):
            piece.color, piece.pass_index = obj.color, obj.pass_index
            piece[SOURCE] = obj.name
            collection.objects.link(piece)
        if not obj.fracture.one_object:
            for piece, color in zip(collection.objects, colors, strict=False):
                piece.color = color
        return collection

    def _pieces(self, row: int, obj, mine: Sequence[Fragment]) -> Iterator[bpy.types.Object]:
        """The objects that show an object's fragments, in their order, and then its debris."""
        if not mine:
            return
        look = _look(obj)
        start, to_source = self._recording.frame_start, np.linalg.pinv(self._rest[obj.name])
        if not obj.fracture.one_object:
            digits = max(3, len(str(len(mine))))
            names = [f"{obj.name} Fragment {number:0{digits}}" for number in range(1, len(mine) + 1)]
            if row in self._wholes:
                names[-1] = f"{obj.name} Whole"
            # All meshes before any object: each material of a new mesh makes Blender look through all objects.
            meshes = write_meshes(names, mine, look, self.unit)
            pieces = [self._piece(*each, to_source) for each in zip(names, meshes, mine, strict=True)]
            self._key(pieces, mine)
            yield from pieces
        else:
            yield one_object.write_pieces(f"{obj.name} Pieces", mine, look, to_source, start, self.unit)
        seed = self._job.bodies[row].settings.seed
        for debris in self._recording.debris:
            if debris.body == row:
                yield one_object.write_debris(f"{obj.name} Debris", debris, seed, look, start, self.unit)

    def _piece(self, name: str, mesh: bpy.types.Mesh, fragment: Fragment, to_source: np.ndarray) -> bpy.types.Object:
        """A fragment as an object of its own."""
        piece = bpy.data.objects.new(name, mesh)
        write_rest(mesh, (fragment.surface.points + fragment.center) / self.unit)
        write_weights(piece, fragment.surface)
        piece[BIRTH] = fragment.birth_frame
        piece[REST] = (to_source @ Matrix.Translation(fragment.center / self.unit)).ravel().tolist()
        return piece

    def _key(self, pieces: Sequence[bpy.types.Object], mine: Sequence[Fragment]) -> None:
        """Key poses and visibility of fragments."""
        start, first, curves = self._recording.frame_start, None, []
        for piece, fragment in zip(pieces, mine, strict=True):
            curves.append(key_poses(piece, fragment.poses, start, self.unit, first))
            first = first or piece.animation_data.action
        for keyed, fragment in zip(curves, mine, strict=True):
            key_visibility(keyed, fragment, start)

    def deformed(self, row: int, obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
        """Add what stands for an object that deforms for the whole shot to the collection of its pieces."""
        start = self._recording.frame_start
        for deformed in self._recording.deformed:
            if deformed.body == row:
                name = f"{obj.name} Deformed"
                path = mesh_cache.path_of(self._scene, name)
                shown = mesh_cache.add_object(name, deformed, _look(obj), self.unit, start, path)
                shown.color, shown.pass_index = obj.color, obj.pass_index
                shown[SOURCE], shown[BIRTH] = obj.name, start
                collection.objects.link(shown)

    def source(self, row: int, obj: bpy.types.Object) -> None:
        """Let the source move until it breaks, and vanish then."""
        track, told = self._recording.bodies[row], self._job.bodies[row].track
        # As told throughout, it moves by itself, or not at all.
        if told is None or 1 < len(told) < len(track.poses):
            self.follow(obj, track, _until(track.poses, track.break_frame - self._recording.frame_start))
        if track.break_frame >= 0:
            if takeover.KEPT not in obj:
                takeover.take(obj)
            takeover.hide_from(obj, self._recording.frame_start, track.break_frame)

    def follow(self, obj: bpy.types.Object, track: Track, poses: np.ndarray) -> None:
        """Let an object move as poses (T, 7) of its centre of mass say."""
        poses = continuous(_without(poses, track.center, self._own_motion.get(obj.name), self.unit))
        if read_motion.stands_still(poses, max(obj.dimensions[:]) * self.unit or 1.0):
            return
        takeover.take(obj)
        empty = bpy.data.objects.new(f"{obj.name} Motion", None)
        empty.hide_viewport = True  # it would go on standing there when what it moves has gone
        home(self._scene, obj).objects.link(empty)
        start = self._recording.frame_start
        key_poses(empty, poses, start, self.unit)
        takeover.follow(obj, empty, track.center / self.unit, start)


def _until(poses: np.ndarray, row: int) -> np.ndarray:
    """Poses that stay from a row on where they were right before it; all of them for a negative row."""
    result = poses.copy()
    if row >= 0:
        result[row:] = result[max(row - 1, 0)]
    return result


def _without(poses: np.ndarray, center: np.ndarray, own: np.ndarray | None, unit: float) -> np.ndarray:
    """Poses of ``center`` (metres) to be put on top of an object's own motion (T, 4, 4, scene units)."""
    if own is None:
        return poses
    wanted = np.zeros((len(poses), 4, 4))
    wanted[:, 3, 3] = 1.0
    wanted[:, :3, :3] = rotation_matrices(poses[:, 3:])
    wanted[:, :3, 3] = poses[:, :3] / unit - wanted[:, :3, :3] @ (center / unit)
    on_top = wanted @ own[0] @ np.linalg.pinv(own)
    still = np.concatenate([np.eye(4)[None], on_top])
    result = read_motion.rigid_motion(still, center / unit)[1:]
    result[:, :3] *= unit
    return result


def _look(obj: bpy.types.Object) -> Look:
    """Materials and chosen layers of an object, and its interior material."""
    own = [slot.material for slot in obj.material_slots] or [None]
    interior = obj.fracture.interior_material or materials.interior(obj)
    if obj.type != "MESH":
        return Look([*own, interior], len(own))
    mesh = obj.data
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


def _report(job: Job, recording: Recording, row: int, seconds: Mapping[str, float]) -> str:
    body = dict(recording.report["bodies"][row]) if recording.report.get("bodies") else {}
    repair = body.get("repair") or {}
    return json.dumps(
        {
            **body,
            "repair": repair["sentence"] if repair.get("changed") else "",
            "warnings": [*body.get("warnings", ()), *recording.report.get("warnings", ())],
            "seconds": dict(seconds),
            "options": dict(job.options),
        }
    )
