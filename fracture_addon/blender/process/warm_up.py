"""Compilation ahead of the first run, in processes of low priority beside a Blender with a window.

One process compiles one group of kernels (``core/timeline/warm_up.py``), unless the extension came with compiled code.
At the end, a worker runs a small job and then waits for the artist's first one. Compiled code stays until the extension
is updated, so this happens once.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import FractureError
from ...core.storage import compiled_code
from .. import extension
from . import missing_libraries, run, user_cache
from .child_python import environment, python_program
from .job_process import JobProcess

# Groups of kernels, in the order in which a run needs them.
GROUPS = ("checks", "network", "cut")
# Number of compiled functions at the end. Measured: 148.
EXPECTED = 148
# File in the cache that marks it as fully compiled.
DONE = "compiled_ahead"
# s, delay of the first process, so that Blender itself starts first; and time between two checks of the processes.
DELAY_SECONDS, LOOK_SECONDS = 1.0, 0.5


class WarmUp:
    """Processes that compile, and the job that prepares the worker.

    Attributes:
        share: Completed fraction, 0 to 1.
    """

    def __init__(self, cache: Path):
        """Start with no process.

        Args:
            cache: Cache of the present sources.
        """
        self.share = 0.0
        self._cache, self._waiting = cache, [] if compiled_code.is_shipped() else list(GROUPS)
        self._compilers: list[subprocess.Popen[bytes]] = []
        self._last: JobProcess | None = None

    def look(self) -> bool:
        """Start the next processes, and return whether everything is compiled.

        Raises:
            FractureError: A process cannot run.
            OSError: A process cannot be started.
        """
        if self._last is not None:
            return self._last.poll()
        self._compilers = [item for item in self._compilers if item.poll() is None]
        while self._waiting and len(self._compilers) < (os.cpu_count() or 1):
            self._compilers.append(_compiler(self._waiting.pop(0)))
        if not self._compilers:
            self._start_last()
        count = sum(1 for _ in (self._cache / user_cache.COMPILED).glob("*"))
        self.share = max(self.share, min(count / EXPECTED, 0.99))
        return False

    def end(self) -> None:
        """Kill the processes. Compiled functions are whole files, so this loses only those in progress."""
        for item in self._compilers:
            item.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                item.wait(timeout=2.0)
        self._compilers = []
        if self._last is not None:
            self._last.cancel()

    def _start_last(self) -> None:
        # Imported late, because it loads modules that Blender's side does not need.
        from ...core.timeline import warm_up

        self._last = JobProcess(extension.job_folder())
        self._last.start(warm_up.job())


_current: WarmUp | None = None


def start() -> None:
    """Compile in the background, if there is a window, a cache, and something to compile."""
    if not bpy.app.background and _is_wanted():
        bpy.app.timers.register(_look, first_interval=DELAY_SECONDS, persistent=True)


def stop() -> None:
    """End the compilation."""
    global _current
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    if _current is not None:
        _current.end()
    _current = None


def share() -> float | None:
    """Return the completed fraction, 0 to 1; ``None`` if nothing compiles ahead."""
    return None if _current is None or compiled_code.is_shipped() else _current.share


def _is_wanted() -> bool:
    cache, chosen = user_cache.find().folder, extension.preferences()
    allowed = chosen is None or chosen.compile_ahead
    return allowed and cache is not None and not (cache / DONE).exists()


def _look() -> float | None:
    """Check the processes; return the seconds until the next check, ``None`` at the end."""
    global _current
    cache = user_cache.find().folder
    if cache is None:
        return None
    try:
        with missing_libraries.loaded():
            _current = _current or WarmUp(cache)
            if not _current.look():
                _redraw()
                return LOOK_SECONDS
            (cache / DONE).touch()
    except (FractureError, OSError) as error:
        run.say(f"Nothing was compiled ahead, so the first run takes longer: {error}")
    stop()
    _redraw()
    return None


def _redraw() -> None:
    """Draw the status bar again. Setting its text does so, but not while an operator runs that may have set a text."""
    context: Any = bpy.context
    windows = context.window_manager.windows
    if not any(len(getattr(window, "modal_operators", ())) for window in windows):
        for window in windows:
            window.workspace.status_text_set_internal(None)


def _compiler(group: str) -> subprocess.Popen[bytes]:
    """Start a process that compiles a group. It ends when its standard input closes, also if Blender is killed."""
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
    return subprocess.Popen(
        [python_program(), "-P", "-m", "fracture_addon.core.timeline.warm_up", group],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd=tempfile.gettempdir(),
        creationflags=flags,
    )
