"""The one run that may be under way, and what the last one had to say. Nothing of it is saved in a file.

Objects are held by name: pointers do not survive an undo or a deletion between two ticks of a timer.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import bpy
import numpy as np

from ..core.errors import InvalidMeshError, SceneError
from ..core.job import Job
from ..core.recording import Recording
from ..core.run.preview import Preview
from ..core.stress import Stresses
from . import bake, extension, kept_run, previews, read_scene, settings, stress_preview, user_cache
from .job_process import JobProcess


@dataclass(frozen=True)
class Message:
    """A line of the panel that is not in the report of a result: why there is none.

    Attributes:
        text: One line.
        is_error: Whether something went wrong, against the artist's own cancelling.
    """

    text: str
    is_error: bool


class Run:
    """A job under way in a child, ``process``; ``is_first`` when that has to compile what later ones only load."""

    def __init__(self, context, objects, task: str):
        """Read the scene and start the child."""
        self.job: Job = read_scene.read_job(context, objects, settings.frame_range(context.scene))
        self.process = JobProcess(extension.job_folder(), task)
        self._scene = context.scene.name
        self._shapes = {obj.name: _shape(obj) for obj in objects}
        self.is_first = not user_cache.has_compiled_code()
        self.process.start(self.job)

    def bake(self, context) -> None:
        """Put the recording into the scene.

        Raises:
            FractureError: The scene is not the one that was read any more; nothing has been changed.
        """
        objects = self.objects(context)
        recording = self.process.result
        assert isinstance(recording, Recording)  # what was asked for
        bake.bake(context, self.job, recording, objects, self.process.seconds)
        try:
            kept_run.keep(context.scene, self.job, recording)
        except SceneError as error:
            say(str(error), is_error=True)  # the result is there, and worth more than its copy

    def show(self, context) -> None:
        """Put the preview into the scene.

        Raises:
            FractureError: As of ``bake``.
        """
        preview = self.process.result
        assert isinstance(preview, Preview)  # what was asked for
        previews.show(context, self.objects(context), preview)

    def show_stress(self, context) -> list[str]:
        """Put what went on inside into the scene; returns the names of objects that nothing struck.

        Raises:
            FractureError: As of ``bake``; or nothing struck any of them.
        """
        stresses = self.process.result
        assert isinstance(stresses, Stresses)  # what was asked for
        objects = self.objects(context)
        spared = [obj.name for obj, body in zip(objects, stresses.bodies, strict=True) if body is None]
        if len(spared) == len(objects):
            raise SceneError(f"Nothing strikes '{spared[0]}' in these frames; add a floor, a projectile or an impact")
        stress_preview.show(context, objects, stresses)
        return spared

    def objects(self, context) -> list[bpy.types.Object]:
        """Those that the run is of.

        Raises:
            FractureError: As of ``bake``.
        """
        if context.scene.name != self._scene:
            raise SceneError(
                f"The run was for the scene '{self._scene}', which is not shown any more; press the button again"
            )
        return [_unchanged(name, shape) for name, shape in self._shapes.items()]


active: Run | None = None
message: Message | None = None


def begin(context, objects, task: str = "recording") -> Run:
    """Start the one run.

    Args:
        context: Its scene is read.
        objects: To break.
        task: A name in ``job_process.RESULTS``.

    Raises:
        FractureError: The scene cannot be read, or the child cannot be started.
    """
    global active, message
    stop()
    message = None
    active = Run(context, objects, task)
    if fault := user_cache.find().fault:
        say(fault)
    return active


def stop(text: str = "") -> None:
    """End the run that is under way, if any, and leave ``text`` in the panel."""
    global active
    if active is not None:
        active.process.cancel()
        active = None
        if text:
            say(text)


def say(text: str, is_error: bool = False) -> None:
    """Leave a line for the panel."""
    global message
    message = Message(text, is_error)


def _shape(obj) -> bytes:
    """A digest of an object's own shape: equal as long as nobody edits it."""
    if obj.type != "MESH":
        return hashlib.blake2b(_spelled(obj.data).encode()).digest()
    mesh = obj.data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loops.foreach_get("vertex_index", corners)
    return hashlib.blake2b(points.tobytes() + corners.tobytes()).digest()


def _spelled(data) -> str:
    """What makes the shape of a curve, a surface or a text."""
    said = [data.body, data.size] if isinstance(data, bpy.types.TextCurve) else []
    for spline in data.splines:
        said += [tuple(point.co) for point in spline.points]
        said += [
            tuple(point.handle_left) + tuple(point.co) + tuple(point.handle_right) for point in spline.bezier_points
        ]
    return repr((said, data.bevel_depth, data.extrude, data.offset))


def _unchanged(name: str, shape: bytes) -> bpy.types.Object:
    obj = bpy.data.objects.get(name)
    if obj is None:
        raise SceneError(f"'{name}' was removed or renamed during the run; press Shatter again")
    if obj.mode != "OBJECT" or _shape(obj) != shape:
        raise InvalidMeshError(f"'{name}' was edited during the run; leave its edit mode and press Shatter again")
    return obj
