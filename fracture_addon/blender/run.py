"""The one run that may be under way, and what the last one had to say. Nothing of it is saved in a file."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..core.data.errors import SceneError
from ..core.data.job import Job
from ..core.data.preview import Preview
from ..core.data.recording import Recording
from ..core.data.stress import Stresses
from . import bake, extension, kept_run, previews, read_scene, settings, stress_preview, user_cache
from .job_process import JobProcess, Progress
from .run_objects import RunObjects


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
        self._objects = RunObjects(context, self.job, objects)
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
        job, recording = self._objects.renamed(self.job, recording)
        bake.bake(context, job, recording, objects, self.process.seconds)
        try:
            kept_run.keep(context.scene, job, recording)
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
        unhit = [obj.name for obj, body in zip(objects, stresses.bodies, strict=True) if body is None]
        if len(unhit) == len(objects):
            raise SceneError(f"'{unhit[0]}' has no impact in these frames; add a floor, a projectile or an impact")
        stress_preview.show(context, objects, stresses)
        return unhit

    def objects(self, context) -> list[bpy.types.Object]:
        """Those that the run is of.

        Raises:
            FractureError: As of ``bake``.
        """
        return self._objects.unchanged(context)

    def is_delayed(self, context) -> bool:
        """Whether the finished result has to wait before it is put into the scene; the progress then says for what."""
        reason = _delay(context) or self._objects.delay(context)
        if reason:
            self.process.progress = Progress(f"Done: {reason}", 1.0)
        return bool(reason)


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


def _delay(context) -> str:
    """What a result waits for because it must not change the scene now; empty when it may."""
    # Blender runs timers between the steps of its modal operators: moving objects, and rendering the viewport.
    windows = context.window_manager.windows
    modal = [operator.bl_idname for window in windows for operator in getattr(window, "modal_operators", ())]
    if any(name.startswith("RENDER_OT_") for name in modal) or is_rendering():
        return "waiting for the render to end"
    if any(name.startswith("TRANSFORM_OT_") for name in modal):
        return "waiting until you let go of what you move"
    # A change of other data does not fit into the undo steps of an edit mode.
    return "" if context.mode == "OBJECT" else "waiting for Object Mode (Tab)"


def is_rendering() -> bool:
    """Whether Blender renders or bakes textures in the background."""
    return any(bpy.app.is_job_running(kind) for kind in ("RENDER", "OBJECT_BAKE"))
