"""What operators have in common that start the one run: blocking without a window, and not with one."""

from __future__ import annotations

import time
from typing import Any

import bpy

from ...core.data.errors import FractureError
from .. import libraries, run, settings
from .availability import editing, lacking, running, usable

# Between two looks at the child: in a window, and where nothing else is to be done.
TICK_SECONDS, BLOCKED_SECONDS = 0.1, 0.02


class RunOperator:
    """Reads the scene, runs in a child, and puts what comes back into the scene.

    Attributes:
        task: What is asked for, a name in ``job_process.RESULTS``.
        doing: What the status bar says meanwhile.
    """

    bl_options: Any = {"REGISTER", "UNDO"}

    task = ""
    doing = ""

    _run: run.Run | None = None
    _timer = None

    @classmethod
    def poll(cls, context):
        """A run at a time, in object mode, on at least one mesh."""
        found = settings.chosen(settings.selection(context))
        nothing = lacking(found, "Select something to break; pieces of an earlier run do not count")
        return usable(cls, running(), editing(context), nothing)

    def deliver(self, context, finished: run.Run) -> None:
        """Put the result into the scene.

        Raises:
            FractureError: It does not fit the scene any more.
        """
        raise NotImplementedError

    def execute(self, context):
        """Run to the end, then deliver: for scripts and ``-b``."""
        # Repeat Last (Shift+R) and Repeat History also call this, and would freeze the window: they start the run as
        # the button does. A second operator does that, because Blender's history already owns this one and would free
        # it once more when it ends as a modal operator. Without REGISTER, Shift+R would repeat the operator before.
        if (self.options.is_repeat or self.options.is_repeat_last) and _has_window(context):
            operator = getattr(bpy.ops.fracture, type(self).bl_idname.rpartition(".")[2])
            operator("INVOKE_DEFAULT")
            return {"CANCELLED"}
        if not self._begin(context):
            return {"CANCELLED"}
        try:
            while not self._run.process.poll():
                time.sleep(BLOCKED_SECONDS)
        except FractureError as error:
            return self._finish(context, error)
        except KeyboardInterrupt:
            self._finish(context)
            raise
        return self._finish(context)

    def invoke(self, context, event):
        """Start the child and return to the artist at once."""
        if context.window is None:
            return self.execute(context)
        if not self._begin(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(f"{self.doing}. Esc over the 3D viewport: cancel")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Look after the child; everything but an ESC that cancels the run goes on to the window."""
        if event.type == "ESC" and event.value == "PRESS" and _is_for_run(context, event):
            return self._end(context)
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        return self._tick(context)

    def cancel(self, context):
        """Blender ends the operator: a file is loaded, or the window closed."""
        self._end(context)

    def _end(self, context):
        """Stop the run without its result."""
        if run.active is self._run:
            run.stop("Cancelled")
        return self._finish(context)

    def _begin(self, context) -> bool:
        try:
            with libraries.loaded():
                self._run = run.begin(context, settings.chosen(settings.selection(context)), self.task)
        except FractureError as error:
            self._fail(error)
            return False
        return True

    def _tick(self, context):
        if run.active is not self._run:
            return self._finish(context)  # the Cancel button, or another run, ended it
        try:
            done = self._run.process.poll()
        except FractureError as error:
            return self._finish(context, error)
        if done and not self._run.is_delayed(context):
            return self._finish(context)
        _redraw(context)
        return {"PASS_THROUGH"}

    def _finish(self, context, error: FractureError | None = None):
        """The one way out: deliver what is there, say what went wrong, leave nothing running."""
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            context.workspace.status_text_set(None)
            self._timer = None
        mine, done = self._run, False
        try:
            if mine is not None and mine is run.active and mine.process.result:
                with libraries.loaded():
                    self.deliver(context, mine)
                done = True
        except FractureError as failure:
            error = failure
        finally:
            if mine is run.active:
                run.stop("" if done or error else "Cancelled")
        if error:
            self._fail(error)
        _redraw(context)
        return {"FINISHED"} if done else {"CANCELLED"}

    def _fail(self, error):
        run.say(str(error), is_error=True)
        self.report({"ERROR"}, str(error))


def _has_window(context) -> bool:
    return context.window is not None and not bpy.app.background


def _is_for_run(context, event) -> bool:
    """Whether ESC cancels the run: over a 3D viewport, while it stops neither playback nor a render."""
    if any(window.screen.is_animation_playing for window in context.window_manager.windows):
        return False
    if run.is_rendering():
        return False
    return any(
        0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height
        for area in context.window.screen.areas
        if area.type == "VIEW_3D"
    )


def _redraw(context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
