"""Progress in Blender's status bar: of the run, or of the compilation ahead of the first run."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run, warm_up

# Width in units of Blender's interface, about the height of a button. The longest text of our own fits; without a
# width, Blender shows about ten letters.
WIDTH = 14.0


def _draw(header: Any, _context: Any) -> None:
    share = warm_up.share()
    if run.active is not None:
        progress = run.active.process.progress
        _show(header.layout, progress.share, progress.stage)
    elif share is not None:
        _show(header.layout, share, "Fracture compiles for the first run")


def _show(layout: Any, share: float, text: str) -> None:
    """Show progress; the number comes first, because Blender cuts off the end of a long text."""
    row = layout.row()
    row.ui_units_x = WIDTH
    row.progress(factor=share, text=f"{100.0 * share:.0f} %: {text}")


def register() -> None:
    """Add the progress to the status bar."""
    bpy.types.STATUSBAR_HT_header.append(_draw)  # type: ignore[arg-type] # the stub's layout has no ``progress``


def unregister() -> None:
    """Remove the progress from the status bar."""
    bpy.types.STATUSBAR_HT_header.remove(_draw)  # type: ignore[arg-type]
