"""Write the events of results to a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import run
from ..read import settings
from ..scene.result_lookup import SOURCE
from ..write import event_table, events
from .availability import running, unless, usable
from .immediate_operator import ImmediateOperator
from .status import Status

NO_EVENTS = "Choose Events in How Pieces Look and press Shatter; then select the broken object"


class FRACTURE_OT_write_events(ImmediateOperator, bpy.types.Operator):
    """Write events to a CSV file."""

    bl_idname = "fracture.write_events"
    bl_label = "Shatter: Write Events"
    bl_description = (
        "Write the impacts, breaks and collisions of the selected results to a CSV file, for sound and other programs. "
        "Each line has the frame, the time in seconds, the position in metres, the energy in joules, the body and the "
        "kind"
    )
    bl_options = {"REGISTER"}  # the scene does not change

    filepath: bpy.props.StringProperty(
        name="File", description="CSV file to write; an existing file is replaced", subtype="FILE_PATH"
    )
    filter_glob: bpy.props.StringProperty(default="*.csv", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has events, and no run is in progress."""
        return usable(cls, running(), unless(events.found(settings.selection(context)), NO_EVENTS))

    def invoke(self, context: Any, _event: bpy.types.Event) -> Status:
        """Ask for the file."""
        if not self.filepath:
            self.filepath = "events.csv"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: Any) -> None:
        """Write the file."""
        if not self.filepath:
            raise SceneError("No file is chosen; choose a CSV file")
        tables = []
        for _, points in events.found(settings.selection(context)):
            found = events.read_events(points)
            tables.append((found.with_bodies([0] * (1 + max(found.bodies, default=0))), [points[SOURCE]]))
        path = Path(bpy.path.abspath(self.filepath))
        event_table.write(path, event_table.text(tables, context.scene.unit_settings.scale_length))
        run.say(f"{sum(len(found) for found, _ in tables):,} events in {path.name}")
