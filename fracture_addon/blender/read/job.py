"""Read a job from the scene: breaking objects, colliders, and the motion of both. The scene does not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import InvalidMeshError, SceneError, SettingsError
from ...core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from ...core.data.surface import Surface, center_of, longest_axis
from ...core.data.thin import Thin
from ..scene import ownership, result_motion
from . import deformable, fields, joints, motion, settings, shape_changes
from .colliders import colliders, read_collider
from .impacts import impacts_of, schedule_of
from .mesh import read_surface
from .placed_loads import placed_loads
from .thin import read_thin


def read_job(
    context: Any,
    objects: Sequence[bpy.types.Object],
    frame_range: tuple[int, int],
    options: Mapping[str, str] | None = None,
    *,
    at_rest: bool = False,
) -> Job:
    """Read the job that breaks some objects of the scene.

    Args:
        context: Context of the scene and view layer. Results of earlier runs count as cleared.
        objects: Objects to break.
        frame_range: First and last frame.
        options: Free text for the report.
        at_rest: Whether all impacts act on the first frame, and loads of other kinds, releases and freezes do not act.

    Raises:
        SceneError: There is nothing to break, or an impact or a placed field is invalid.
        InvalidMeshError: A mesh cannot be used.
        SettingsError: A setting is invalid.
    """
    scene = context.scene
    start, end = frame_range
    check(objects, frame_range)
    context.view_layer.update()  # until then, objects that a script has just removed are empty entries in it
    others = colliders(context, objects)
    _check_names([*objects, *others])
    with motion.visiting(scene), result_motion.suspended(context.view_layer.objects):
        scene.frame_set(start)
        frames = range(start, end + 1)
        keyed = {obj.name: motion.keyed_frames(obj, frames, breakable=obj in objects) for obj in (*objects, *others)}
        for obj in filter(deformable.is_pinned, objects):
            # Keys release rigid objects even if they are pinned.
            keyed[obj.name] = None if deformable.is_deformable(obj) else keyed[obj.name] or None
        ownership.check_local(obj for obj in others if keyed[obj.name] is not None)  # the result moves projectiles
        moving = [obj for obj in (*objects, *others) if motion.may_move(obj)]
        # A dynamic object only needs the frames that give its initial velocity.
        counts = [len(frames) if (count := keyed[obj.name]) is None else count for obj in moving]
        sampled = motion.sample(context, moving, range(start - 1, start + max([2, *counts])))
        gravity_track, stiffness = deformable.tracks(context, objects, frames)
        impacts = {obj.name: impacts_of(context, obj, frame_range, at_rest) for obj in objects}
        placed = {} if at_rest else placed_loads(context, frame_range)
        scene.frame_set(start)
        reader = _Reader(context, sampled, keyed, stiffness)
        return Job(
            bodies=tuple(reader.body(obj, impacts[obj.name]) for obj in objects),
            colliders=tuple(reader.collider(obj) for obj in others),
            frame_start=start,
            frame_end=end,
            frame_rate=1.0 / reader.seconds,
            substeps=scene.fracture.substeps,
            gravity=np.array(scene.gravity, float) * reader.unit if scene.use_gravity else np.zeros(3),
            gravity_track=gravity_track,
            winds=deformable.winds(context) if any(map(deformable.is_deformable, objects)) else (),
            glues=deformable.glues(objects, reader.unit),
            checkpoint_interval=scene.fracture.checkpoint_interval,
            continue_from=scene.fracture.continue_from if scene.fracture.use_continue else None,
            break_anyway=scene.fracture.break_anyway,
            options=dict(options or {}),
            bonds=joints.bonds(objects, reader.unit),
            log_events=any(map(settings.wants_events, objects)),
            **placed,
        )


def read_job_at_rest(
    context: Any, objects: Sequence[bpy.types.Object], options: Mapping[str, str] | None = None
) -> Job:
    """Read the job that breaks objects where they are on the current frame; arguments and errors as for ``read_job``.

    It has one frame and no colliders, loads of other kinds, releases and freezes, and all impacts act on that frame.
    """
    frame = context.scene.frame_current
    job = read_job(context, objects, (frame, frame + 1), options, at_rest=True)
    return replace(job, frame_end=frame, colliders=())


def check(objects: Sequence[bpy.types.Object], frame_range: tuple[int, int]) -> None:
    """Check everything that needs no evaluation of the scene.

    Raises:
        SceneError: There are no objects, or one has no shape.
        InvalidMeshError: An object is not in object mode, has an NLA strip in tweak mode, is linked from another file,
            or is a library override of an animated object.
        SettingsError: The frame range is empty.
    """
    if not objects:
        raise SceneError("No mesh is selected; select a mesh object to break")
    ownership.check_saved(objects)
    for obj in objects:
        if obj.type not in settings.BREAKABLE:
            raise SceneError(f"'{obj.name}' has no shape to break; select a mesh, curve, surface or text")
        if obj.mode != "OBJECT":
            mode = obj.mode.replace("_", " ").title()
            remedy = "press Tab" if obj.mode == "EDIT" else "choose Object Mode in the header of the 3D viewport"
            raise InvalidMeshError(f"'{obj.name}' is in {mode} Mode; {remedy}")
        if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
            raise InvalidMeshError(
                f"'{obj.name}' has an NLA strip in tweak mode; leave it first (Tab in the NLA editor)"
            )
    start, end = frame_range
    if end <= start:
        raise SettingsError(f"The frame range {start} to {end} is empty; set the end after the start")


def _check_names(objects: Sequence[bpy.types.Object]) -> None:
    """Refuse a local and a linked object of the same name, because a job refers to objects by name."""
    names = [obj.name for obj in objects]
    for name in names:
        if names.count(name) > 1:
            raise SceneError(f"Two objects in this run have the name '{name}', one of them linked; rename one")


class _Reader:
    """Reads single objects on the first frame.

    Attributes:
        unit: Metres per scene unit.
        seconds: s, time between two frames.
    """

    def __init__(
        self,
        context: Any,
        sampled: Mapping[str, np.ndarray],
        keyed: Mapping[str, int | None],
        stiffness: Mapping[str, np.ndarray],
    ):
        scene = context.scene
        self.unit = scene.unit_settings.scale_length
        self.seconds = scene.render.fps_base / scene.render.fps
        self._context, self._depsgraph = context, context.evaluated_depsgraph_get()
        self._start = scene.frame_current
        self._sampled, self._keyed, self._stiffness = sampled, keyed, stiffness

    def body(self, obj: bpy.types.Object, impacts: tuple[AuthoredImpact, ...]) -> Body:
        matrices, around = self._matrices(obj)
        frame = self._start
        if not deformable.is_deformable(obj):
            frame = shape_changes.simulated_frame(frame, self._keyed[obj.name], (impact.frame for impact in impacts))
        with self._shapes_of(frame):
            surface, thin = self._shape(obj, self._scale @ matrices[0])
        center = center_of(surface)
        parts = (obj.name, surface, settings.material_of(obj), self._settings(obj, surface, thin))
        stiffness = self._stiffness.get(obj.name, np.zeros(0))
        common: dict[str, Any] = {"thin": thin, "impacts": impacts, "stiffness_track": stiffness}
        keyed = self._keyed[obj.name]
        if keyed is None or keyed > 1:
            poses = motion.rigid_motion(self._scale @ matrices[:keyed], center)
            still = keyed is None and motion.stands_still(poses, surface.diagonal)
            return Body(*parts, track=poses[:1] if still else poses, **common)
        poses = motion.rigid_motion((self._scale @ around)[[1, 0, 2]], center)[[1, 0, 2]]
        velocity, turn = motion.initial_velocity(poses, self.seconds)
        return Body(*parts, velocity=velocity, angular_velocity=turn, **common)

    def _shape(self, obj: bpy.types.Object, matrix: np.ndarray) -> tuple[Surface, Thin | None]:
        found = read_thin(obj, self._depsgraph, matrix, self.unit)
        if found is None:
            return read_surface(obj, self._depsgraph, matrix), None
        surface, thin = found
        # A shell that is rigid until it breaks is simulated as the solid that its skin encloses.
        return surface, thin if deformable.is_deformable(obj) else None

    def _settings(self, obj: bpy.types.Object, surface: Surface, thin: Thin | None) -> Settings:
        chosen = settings.settings_of(obj)
        if thin is not None:
            chosen = chosen.changed(dynamics="deformable", impact_fineness=1.0)
        if not any(obj.fracture.grain):
            chosen = chosen.changed(grain=longest_axis(surface.corners))
        return chosen.changed(
            wall_thickness=obj.fracture.wall_thickness * self.unit,
            activation_distance=settings.plain(obj.fracture.activation_distance) * self.unit,
            impact_schedule=schedule_of(obj),
            pinned=deformable.pinned(obj, surface, thin),
            **fields.placed_fields(self._context, obj),
            **fields.painted_fields(obj, surface),
        )

    def collider(self, obj: bpy.types.Object) -> Collider:
        matrices, around = self._matrices(obj)
        keyed = self._keyed[obj.name]
        with self._shapes_of(shape_changes.simulated_frame(self._start, keyed)):
            return read_collider(
                obj, self._depsgraph, self._scale @ matrices, self._scale @ around, keyed, self.seconds
            )

    @contextmanager
    def _shapes_of(self, frame: int) -> Iterator[None]:
        """Evaluate shapes on a frame within the ``with`` statement, then return to the first frame.

        Positions on that frame are not used.
        """
        if frame != self._start:
            self._context.scene.frame_set(frame)
        try:
            yield
        finally:
            if frame != self._start:
                self._context.scene.frame_set(self._start)

    @property
    def _scale(self) -> np.ndarray:
        return np.diag([self.unit, self.unit, self.unit, 1.0])

    def _matrices(self, obj: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
        """Return the world matrices on each frame (one for an object that cannot move), and around the first frame."""
        sampled = self._sampled.get(obj.name)
        if sampled is None:
            matrix = motion.world_matrix(obj, self._depsgraph)
            return matrix[None], np.stack([matrix] * 3)
        return sampled[1:], sampled[:3]
