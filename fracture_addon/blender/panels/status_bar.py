"""Progress in Blender's status bar: of the run, or of the compilation ahead of the first run."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run, warm_up


def _draw(header: Any, _context: Any) -> None:
    # The number comes first: the status bar cuts off the end of the text.
    share = warm_up.share()
    if run.active is not None:
        progress = run.active.process.progress
        header.layout.progress(factor=progress.share, text=f"{100.0 * progress.share:.0f} %: {progress.stage}")
    elif share is not None:
        header.layout.progress(factor=share, text=f"{100.0 * share:.0f} %: Fracture compiles for the first run")


def register() -> None:
    """Add the progress to the status bar."""
    bpy.types.STATUSBAR_HT_header.append(_draw)  # type: ignore[arg-type] # the stub's layout has no ``progress``


def unregister() -> None:
    """Remove the progress from the status bar."""
    bpy.types.STATUSBAR_HT_header.remove(_draw)  # type: ignore[arg-type]
