"""Base class of operators that start a run: modal in a window, blocking without one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.errors import FractureError
from ..process import missing_libraries, run
from ..read import settings
from ..read.joints import with_joined
from ..setup import material_guess
from .availability import editing, running, unless, usable
from .status import Status

# s between two polls of the worker: in a window, and when blocking. A finished run is noticed at most this much later.
# In a window each poll draws the panel and the status bar again.
TICK_SECONDS, BLOCKED_SECONDS = 0.1, 0.02


class RunOperator:
    """Read the scene, compute in a worker process, and put the result into the scene.

    Attributes:
        task: Task of the worker, a name in ``job_process.RESULTS``.
        doing: Text of the status bar during the run.
    """

    bl_options: Any = {"REGISTER", "UNDO"}

    task = ""
    doing = ""
    bl_label: str

    _run: run.Run | None = None
    _timer = None

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether an object to break is selected, in object mode, and no run is in progress."""
        found = settings.chosen(settings.selection(context))
        nothing = unless(found, "Select a mesh, curve, surface or text to break. A copy of a piece cannot be broken")
        return usable(cls, running(), editing(context), nothing)

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Put the result into the scene.

        Raises:
            FractureError: The result no longer fits the scene.
        """
        raise NotImplementedError

    def begin(self, context: Any, objects: Sequence[bpy.types.Object]) -> run.Run:
        """Read the scene and start the worker; errors as for ``run.begin``."""
        return run.begin(context, objects, self.task)

    def chosen(self, context: Any) -> list[bpy.types.Object]:
        """Return the objects to break, before ``set_up``: by default the selected ones."""
        return settings.chosen(settings.selection(context))

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Change the scene before it is read, and return whether it changed; by default it does not.

        Raises:
            FractureError: The objects cannot be used.
        """
        return False

    def execute(self, context: Any) -> Status:
        """Run to the end and deliver the result: for scripts and ``-b``."""
        # Repeat Last (Shift+R) and Repeat History also call this method, and blocking would freeze the window. So start
        # a modal run with a second operator. This one cannot be modal: Blender's history owns it, and Blender would
        # free it twice. Without REGISTER, Shift+R would repeat the operator before this one.
        if (self.options.is_repeat or self.options.is_repeat_last) and _has_window(context):
            own: Any = self
            # Only the class has the name as it is written in Python.
            operator = getattr(bpy.ops.fracture, type(own).bl_idname.rpartition(".")[2])
            operator("INVOKE_DEFAULT", **own.as_keywords())
            return {"CANCELLED"}
        own_run = self._begin(context)
        if own_run is None:
            return {"CANCELLED"}
        try:
            while not own_run.process.poll():
                time.sleep(BLOCKED_SECONDS)
        except FractureError as error:
            return self._finish(context, error)
        except KeyboardInterrupt:
            self._finish(context)
            raise
        return self._finish(context)

    def invoke(self, context: Any, event: bpy.types.Event) -> Status:
        """Start the worker and return immediately."""
        if context.window is None:
            return self.execute(context)
        if self._begin(context) is None:
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._show_progress(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: bpy.types.Event) -> Status:
        """Poll the worker on timer events; pass on all other events except the ESC that cancels the run."""
        if event.type == "ESC" and event.value == "PRESS" and _is_for_run(context, event):
            return self._end(context)
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        return self._tick(context)

    def cancel(self, context: Any) -> None:
        """Cancel the run when Blender ends the operator: a file is loaded or the window closes."""
        self._end(context)

    def _end(self, context: Any) -> Status:
        """Cancel the run."""
        if run.active is self._run:
            run.stop("Cancelled")
        return self._finish(context)

    def _begin(self, context: Any) -> run.Run | None:
        objects = with_joined(context, self.chosen(context))
        try:
            with missing_libraries.loaded():
                material_guess.apply_to(context, objects)
                if self.set_up(context, objects) and _has_window(context):
                    bpy.ops.ed.undo_push(message=f"{self.bl_label} (set up)")  # undo after Cancel restores the scene
                self._run = self.begin(context, objects)
        except FractureError as error:
            self._fail(context, error)
            return None
        return self._run

    def _tick(self, context: Any) -> Status:
        if self._run is None or run.active is not self._run:
            return self._finish(context)  # the Cancel button or another run ended it
        try:
            done = self._run.process.poll()
        except FractureError as error:
            return self._finish(context, error)
        if done and not self._run.is_delayed(context):
            return self._finish(context)
        _redraw(context)
        self._show_progress(context)
        return {"PASS_THROUGH"}

    def _show_progress(self, context: Any) -> None:
        """Say in the status bar how to cancel; setting the text also draws the progress there again."""
        context.workspace.status_text_set(f"{self.doing}. Esc over the 3D viewport cancels")

    def _finish(self, context: Any, error: FractureError | None = None) -> Status:
        """End the run: deliver its result, report its error, and stop the worker and the timer."""
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            context.workspace.status_text_set(None)
            self._timer = None
        own_run, done = self._run, False
        try:
            if own_run is not None and own_run is run.active and own_run.process.result:
                with missing_libraries.loaded():
                    self.deliver(context, own_run)
                done = True
        except FractureError as failure:
            error = failure
        finally:
            if own_run is run.active:
                run.stop("" if done or error else "Cancelled")
        if error:
            self._fail(context, error)
        _redraw(context)
        return {"FINISHED"} if done else {"CANCELLED"}

    def _fail(self, context: Any, error: FractureError) -> None:
        # Evaluate the pending changes of this operator, because a later change of the scene removes the message.
        context.view_layer.update()
        run.say(str(error), is_error=True, objects=settings.chosen(settings.selection(context)))
        self.report({"ERROR"}, str(error))


def _has_window(context: Any) -> bool:
    return context.window is not None and not bpy.app.background


def _is_for_run(context: Any, event: bpy.types.Event) -> bool:
    """Return whether ESC cancels the run: it is over a 3D viewport, and no playback or render takes it."""
    if any(window.screen.is_animation_playing for window in context.window_manager.windows):
        return False
    if run.is_rendering():
        return False
    return any(
        0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height
        for area in context.window.screen.areas
        if area.type == "VIEW_3D"
    )


def _redraw(context: Any) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
