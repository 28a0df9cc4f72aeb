"""New objects from the pieces of results: each has the shape, place and motion that its piece has on a frame.

The new objects are the artist's own. Any method can break them again, together with other objects. They appear on the
frame before, where the pieces disappear, so that Shatter reads their velocity from their keyframes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation

from ...core.data.errors import SceneError
from ..read import motion, settings
from ..scene import ownership
from ..scene.action_curves import CONSTANT, add_curves, curves_of, new_action
from ..scene.result_lookup import MASS, SOURCE, collection_of, pieces_of, subject_of
from ..scene.result_motion import HIDES
from ..write import keyframes, later_motion

# Frames before the chosen one on which the new objects appear: Shatter reads the velocity from the motion since then.
BEFORE = 1
# Fewer points have no rotation: they may be on one line.
FEWEST_POINTS = 3


@dataclass(frozen=True)
class _Moved:
    """A piece on the chosen frame.

    Attributes:
        piece: The object.
        mesh: Its evaluated mesh, in the space of ``place``.
        place: (4, 4) from the mesh to the world, scene units.
        points: (3, P, 3) points in the world on the frame before, on the frame and on the next one; ``None`` where the
            piece is hidden or has other points.
    """

    piece: bpy.types.Object
    mesh: bpy.types.Mesh
    place: np.ndarray
    points: Sequence[np.ndarray | None]


def pieces_to_continue(context: Any) -> list[bpy.types.Object]:
    """Return the pieces that the selection stands for: the pieces in it, and all pieces of its broken objects.

    Debris, events and previews are no pieces, and neither is an object that shows all pieces at once.
    """
    found: dict[bpy.types.Object, None] = {}
    for obj in list(context.selected_objects) or [item for item in (context.object,) if item is not None]:
        collection = collection_of(obj) if SOURCE not in obj else None
        found |= dict.fromkeys(pieces_of(collection) if collection is not None else [obj])
    return [obj for obj in found if subject_of(obj) != obj and (MASS in obj or _deforms(obj))]


def _deforms(obj: bpy.types.Object) -> bool:
    return any(modifier.type == "MESH_CACHE" for modifier in obj.modifiers)


def continue_from(context: Any, pieces: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Add an object for each piece that is visible on the current frame, and hide these pieces from then on.

    The objects have the materials and settings of the source, and share its number of cells. Impacts, places and joints
    stay with the source. A piece that deforms and has come apart gives one object for each part; stresses and deforming
    motion end.

    Args:
        context: Context of the scene.
        pieces: From ``pieces_to_continue``.

    Returns:
        The new objects, selected, each in the collection "SOURCE Continued" of the scene.

    Raises:
        SceneError: No piece is visible on the current frame.
        SettingsError: The scene's frame range is invalid.
        InvalidMeshError: A piece is linked from another file.
    """
    scene = context.scene
    first, last = frames_from_now(scene)
    made = copies_of(context, pieces)
    for piece in _shown(pieces, first):
        _hide_from(piece, first - BEFORE)
    scene.fracture.use_scene_range = False
    scene.fracture.frame_start, scene.fracture.frame_end = first, last
    for obj in context.selected_objects:
        obj.select_set(False)
    scene.frame_set(first)
    for obj in made:
        obj.select_set(True)
    context.view_layer.objects.active = made[0]
    return made


def frames_from_now(scene: Any) -> tuple[int, int]:
    """Return the first and the last frame of a run that starts on the current frame.

    Raises:
        SettingsError: The scene's frame range is invalid.
    """
    frame, (_, last) = scene.frame_current, settings.frame_range(scene)
    return frame, max(last, frame + 1)


def copies_of(context: Any, pieces: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Add the objects of ``continue_from``, and change nothing else."""
    scene = context.scene
    shown = _shown(pieces, scene.frame_current)
    if not shown:
        names = ", ".join(sorted({f"'{subject_of(piece).name}'" for piece in pieces}))
        raise SceneError(f"{names}: no piece is visible on frame {scene.frame_current}; go to a frame after the break")
    ownership.check_local(shown)
    made: dict[bpy.types.Object, bpy.types.Object] = {}
    for moved in _moved(context, shown):
        source = subject_of(moved.piece)
        home = _home(scene, source)
        for mesh, rows in _parts(moved):
            obj: Any = bpy.data.objects.new(f"{moved.piece.name} Continued", mesh)
            _copy_settings(source.fracture, obj.fracture)
            obj.fracture.held = obj.fracture.impact_enabled = False
            _key(scene, obj, moved, rows)
            home.objects.link(obj)
            made[obj] = source
    _share_detail(made)
    return list(made)


def remove(scene: bpy.types.Scene, objects: Sequence[Any]) -> None:
    """Remove objects of ``copies_of`` with their meshes and actions, and their collections where nothing else is."""
    homes = {home for obj in objects for home in obj.users_collection}
    for obj in objects:
        mesh, action = obj.data, obj.animation_data.action
        bpy.data.objects.remove(obj)
        bpy.data.meshes.remove(mesh)
        bpy.data.actions.remove(action)
    for home in homes:
        if not home.all_objects and not home.children:
            bpy.data.collections.remove(home)


def _shown(pieces: Sequence[bpy.types.Object], frame: int) -> list[bpy.types.Object]:
    return [piece for piece in pieces if piece.visible_get() and not later_motion.is_hidden(piece, frame)]


def _moved(context: Any, pieces: Sequence[bpy.types.Object]) -> list[_Moved]:
    """Evaluate pieces on the frame before the current one, on it and on the next one."""
    scene = context.scene
    frame = scene.frame_current
    points: dict[bpy.types.Object, list[np.ndarray | None]] = {piece: [] for piece in pieces}
    meshes, places = {}, {}
    with motion.visiting(scene):
        for step in (-BEFORE, 0, BEFORE):
            scene.frame_set(frame + step)
            depsgraph = context.evaluated_depsgraph_get()
            for piece in pieces:
                evaluated = piece.evaluated_get(depsgraph)
                place = motion.world_matrix(piece, depsgraph)
                points[piece].append(
                    None if later_motion.is_hidden(piece, frame + step) else _points(evaluated.data, place)
                )
                if step == 0:
                    meshes[piece] = bpy.data.meshes.new_from_object(
                        evaluated, preserve_all_data_layers=True, depsgraph=depsgraph
                    )
                    places[piece] = place
    return [_Moved(piece, meshes[piece], places[piece], points[piece]) for piece in pieces]


def _points(mesh: Any, place: np.ndarray) -> np.ndarray:
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]


def _parts(moved: _Moved) -> Iterator[tuple[bpy.types.Mesh, np.ndarray]]:
    """Yield the mesh of each connected part of a piece, and the rows of its points."""
    mesh: Any = moved.mesh
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    count = len(mesh.vertices)
    joined = csr_array((np.ones(len(mesh.edges), bool), (edges[::2], edges[1::2])), (count, count))
    part_count, part = connected_components(joined, directed=False)
    if part_count == 1 or MASS in moved.piece:
        yield mesh, np.arange(count)
        return
    for number in range(part_count):
        own = mesh.copy()
        work = bmesh.new()
        work.from_mesh(own)
        bmesh.ops.delete(work, geom=[work.verts[row] for row in np.flatnonzero(part != number)], context="VERTS")
        work.to_mesh(own)
        work.free()
        yield own, np.flatnonzero(part == number)
    bpy.data.meshes.remove(mesh)


def _key(scene: bpy.types.Scene, obj: bpy.types.Object, moved: _Moved, rows: np.ndarray) -> None:
    """Key an object's place on the chosen frame and on the one before it, and hide it until then."""
    frame = scene.frame_current
    here = moved.place
    before = np.linalg.inv(_motion([None if item is None else item[rows] for item in moved.points])) @ here
    poses = np.empty((2, 7))
    for row, place in enumerate((before, here)):
        location, turn, scale = (np.array(part[:]) for part in Matrix(place.tolist()).decompose())
        poses[row] = np.concatenate([location, turn])
        obj.scale = scale.tolist()
    if poses[0, 3:] @ poses[1, 3:] < 0.0:
        poses[0, 3:] *= -1.0
    curves = keyframes.key_poses(obj, poses, frame - BEFORE, 1.0)
    for path in HIDES:
        steps = [(frame - BEFORE - 1, True), (frame - BEFORE, False)]
        add_curves(curves, path, np.array([steps], np.float32), CONSTANT)


def _motion(points: Sequence[np.ndarray | None]) -> np.ndarray:
    """Return the rigid motion (4, 4) over a frame: since the frame before, else to the next one, else none.

    Notes:
        Kabsch 1976, A solution for the best rotation to relate two sets of vectors; ``Rotation.align_vectors``.
    """
    before, here, after = points
    result = np.eye(4)
    for start, end in ((before, here), (here, after)):
        if start is None or end is None or len(start) != len(end):
            continue
        middle, goal = start.mean(axis=0), end.mean(axis=0)
        if len(start) >= FEWEST_POINTS:
            result[:3, :3] = Rotation.align_vectors(end - goal, start - middle)[0].as_matrix()
        result[:3, 3] = goal - result[:3, :3] @ middle
        break
    return result


def _hide_from(piece: bpy.types.Object, frame: int) -> None:
    """Hide a piece from a frame on; until then, it stays as it was."""
    curves = curves_of(piece)
    if curves is None:
        curves = new_action(piece, piece.name)
    for path in HIDES:
        curve = curves.find(path)
        if curve is None:
            steps = [(frame - 1, getattr(piece, path)), (frame, True)]
            add_curves(curves, path, np.array([steps], np.float32), CONSTANT)
        else:
            later_motion.end(curve, frame, 1.0)


def _home(scene: bpy.types.Scene, source: bpy.types.Object) -> bpy.types.Collection:
    """Return the scene's collection for the new objects of a source; add it if it is missing."""
    name = f"{source.name} Continued"
    found = next((item for item in scene.collection.children if item.name == name), None)
    if found is None:
        found = bpy.data.collections.new(name)
        scene.collection.children.link(found)
    return found


def _share_detail(sources: Mapping[Any, Any]) -> None:
    """Divide the cells of each source among its new objects, in proportion to their volume.

    Args:
        sources: Source of each new object.
    """
    volumes, totals = {obj: _volume(obj.data) for obj in sources}, dict.fromkeys(sources.values(), 0.0)
    for obj, source in sources.items():
        totals[source] += volumes[obj]
    for obj, source in sources.items():
        if totals[source]:  # flat meshes have no volume; Shatter refuses them
            obj.fracture.resolution = round(source.fracture.resolution * volumes[obj] / totals[source])


def _volume(mesh: bpy.types.Mesh) -> float:
    work = bmesh.new()
    work.from_mesh(mesh)
    volume = abs(work.calc_volume())
    work.free()
    return volume


def _copy_settings(source: Any, target: Any) -> None:
    """Copy the settings of a property group, with its groups and materials, without other objects and lists."""
    for item in source.bl_rna.properties:
        name = item.identifier
        if name == "rna_type" or item.type == "COLLECTION":
            continue
        value = getattr(source, name)
        if isinstance(value, bpy.types.PropertyGroup):
            _copy_settings(value, getattr(target, name))
        elif not item.is_readonly and (item.type != "POINTER" or isinstance(value, bpy.types.Material)):
            setattr(target, name, value)
