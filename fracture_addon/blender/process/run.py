"""The current run and the message of the last one; neither is saved in the .blend file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...core.data.cell_preview import Preview
from ...core.data.crack_preview import Cracks
from ...core.data.errors import SceneError
from ...core.data.job import Job, check_loads
from ...core.data.recording import Recording
from ...core.data.stress_window import Stresses
from .. import extension
from ..read import settings
from ..read.hits import can_be_hit
from ..read.job import read_job, read_job_at_rest
from ..write import bake, cell_preview, crack_preview, stress_preview
from . import cached_run, user_cache
from .job_process import JobProcess, Progress
from .run_objects import RunObjects

# Tasks for which objects break where they are on the current frame.
AT_REST = {"fracture"}
# Tasks that end without a result where nothing can hit an object.
NEED_LOADS = {"recording", "variation"}


@dataclass(frozen=True)
class Message:
    """A message of the panel that is not part of a result's report.

    Attributes:
        text: One line.
        is_error: Whether it reports an error; false if the artist cancelled the run.
        objects: Names of the objects that it is about; empty for a message about no object in particular.
        mode: Blender's mode in which it is shown, as in ``context.mode``; empty for all modes.
    """

    text: str
    is_error: bool
    objects: frozenset[str] = frozenset()
    mode: str = ""


class Run:
    """A job in a worker process (``process``)."""

    def __init__(
        self,
        context: Any,
        objects: Sequence[bpy.types.Object],
        task: str,
        adapt: Callable[[Job], Job] = lambda job: job,
    ):
        """Read the scene, let ``adapt`` change the job, and start the worker."""
        self.job: Job = adapt(read(context, objects, task))
        self._objects = RunObjects(context, self.job, objects)
        self._start(task)

    def _start(self, task: str) -> None:
        """Start the worker with the job."""
        self.process = JobProcess(extension.job_folder(), task)
        self.process.start(self.job)

    def bake(self, context: Any) -> None:
        """Bake the recording into the scene.

        Raises:
            FractureError: The scene changed during the run; nothing was written.
        """
        objects = self.objects(context)
        job, recording = self._objects.renamed(self.job, self.process.result_of(Recording))
        bake.bake(context, job, recording, objects, self.process.seconds)
        if job.is_at_rest:
            return  # a stored run is a simulation
        try:
            cached_run.store(context.scene, objects, job, recording)
        except SceneError as error:
            say(str(error), is_error=True)  # the result in the scene is complete; only its stored copy failed

    def show(self, context: Any) -> None:
        """Add the cell previews to the scene.

        Raises:
            FractureError: As for ``bake``.
        """
        cell_preview.show(context, self.objects(context), self.process.result_of(Preview))

    def show_cracks(self, context: Any) -> None:
        """Add the crack previews to the scene.

        Raises:
            FractureError: As for ``bake``.
        """
        cracks = self.process.result_of(Cracks)
        crack_preview.show(context, self.objects(context), cracks, self.job.frame_start)

    def show_stress_preview(self, context: Any) -> list[str]:
        """Add the stress previews to the scene; return the names of objects without an impact.

        Raises:
            FractureError: As for ``bake``; or no object has an impact.
        """
        stresses = self.process.result_of(Stresses)
        objects = self.objects(context)
        unhit = [obj.name for obj, body in zip(objects, stresses.bodies, strict=True) if body is None]
        if len(unhit) == len(objects):
            raise SceneError(f"'{unhit[0]}' has no impact in these frames; add a floor, a projectile or an impact")
        stress_preview.show(context, objects, stresses)
        return unhit

    def objects(self, context: Any) -> list[bpy.types.Object]:
        """Return the objects of the run.

        Raises:
            FractureError: As for ``bake``.
        """
        return self._objects.unchanged(context)

    def is_delayed(self, context: Any) -> bool:
        """Return whether the finished result must wait; the progress then shows for what."""
        reason = _delay(context) or self._objects.delay(context)
        if reason:
            self.process.progress = Progress(f"Done: {reason}", 1.0)
        return bool(reason)


def read(context: Any, objects: Sequence[bpy.types.Object], task: str) -> Job:
    """Return the job of a task, read from the scene; errors as for ``begin``."""
    if task in AT_REST or (task == "cracks" and not can_be_hit(context, objects)):
        return read_job_at_rest(context, objects)
    job = read_job(context, objects, settings.frame_range(context.scene))
    if task in NEED_LOADS:
        check_loads(job)  # the worker does it too, but only after its start
    return job


active: Run | None = None
message: Message | None = None


def begin(
    context: Any,
    objects: Sequence[bpy.types.Object],
    task: str = "recording",
    make: Callable[[Any, Sequence[bpy.types.Object], str], Run] = Run,
) -> Run:
    """Start a run, and stop an earlier one.

    Args:
        context: Context of the scene.
        objects: Objects to break.
        task: A name in ``job_process.RESULTS``.
        make: Starts the run.

    Raises:
        FractureError: The scene cannot be read, or the worker cannot start.
    """
    global active, message
    stop()
    message = None
    active = make(context, objects, task)
    if fault := user_cache.find().fault:
        say(fault)
    return active


def stop(text: str = "") -> None:
    """Stop the current run, if any, and show ``text`` in the panel."""
    global active
    if active is not None:
        active.process.cancel()
        active = None
        if text:
            say(text)


def say(text: str, is_error: bool = False, objects: Sequence[bpy.types.Object] = (), mode: str = "") -> None:
    """Show a message in the panel, as long as its objects are selected, and Blender is in its mode."""
    global message
    message = Message(text, is_error, frozenset(obj.name for obj in objects), mode)


def forget_error() -> None:
    """Remove an error message from the panel. Called when the scene changes, because its cause may be gone."""
    global message
    if message is not None and message.is_error:
        message = None


def _delay(context: Any) -> str:
    """Return why a result cannot be written into the scene yet; empty if it can."""
    # Blender runs timers between the steps of its modal operators: moving objects, and rendering the viewport.
    windows = context.window_manager.windows
    modal = [operator.bl_idname for window in windows for operator in getattr(window, "modal_operators", ())]
    if any(name.startswith("RENDER_OT_") for name in modal) or is_rendering():
        return "waiting for the render to end"
    if any(name.startswith("TRANSFORM_OT_") for name in modal):
        return "waiting until you let go of what you move"
    # The undo steps of an edit mode do not include changes of other data.
    return "" if context.mode == "OBJECT" else "waiting for Object Mode (Tab)"


def is_rendering() -> bool:
    """Return whether Blender renders or bakes textures in the background."""
    return any(bpy.app.is_job_running(kind) for kind in ("RENDER", "OBJECT_BAKE"))
