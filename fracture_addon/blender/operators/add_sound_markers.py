"""Mark the strongest events of results in the timeline."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..read import settings
from ..scene.result_lookup import SOURCE
from ..write import events, sound_markers
from .availability import running, unless, usable
from .immediate_operator import ImmediateOperator
from .write_events import NO_EVENTS

# Most markers: more hide the timeline. Chosen.
MOST = 100


class FRACTURE_OT_add_sound_markers(ImmediateOperator, bpy.types.Operator):
    """Add timeline markers on the strongest events."""

    bl_idname = "fracture.add_sound_markers"
    bl_label = "Shatter: Add Sound Markers"
    bl_description = (
        "Add timeline markers on the strongest impacts, breaks and collisions of the selected results, with their "
        "energies. They replace earlier sound markers of these results; Clear removes them"
    )

    count: bpy.props.IntProperty(
        name="Markers", description="Largest number of markers; 0 removes them all", default=20, min=0, max=MOST
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has events, and no run is in progress."""
        return usable(cls, running(), unless(events.found(settings.selection(context)), NO_EVENTS))

    def act(self, context: Any) -> None:
        """Add the markers, and report their number."""
        found = [
            (collection, points[SOURCE], events.read_events(points))
            for collection, points in events.found(settings.selection(context))
        ]
        run.say(f"{sound_markers.add(context.scene, found, self.count)} sound markers")
