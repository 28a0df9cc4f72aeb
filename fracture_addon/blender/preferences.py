"""Preferences of the extension, which apply to all files."""

from __future__ import annotations

from typing import Any

import bpy

from ..core.timeline.cache import MOST_BYTES


class FractureAddonPreferences(bpy.types.AddonPreferences):
    """Preferences of the extension; registration sets ``bl_idname``, because the name is known only then."""

    bl_idname = ""

    cache_folder: bpy.props.StringProperty(
        name="Temporary Folder",
        description="Folder for the temporary files of a run, which are deleted when it ends. "
        "If empty, the system's temporary folder. Change it if that has too little space",
        subtype="DIR_PATH",
    )

    kept_megabytes: bpy.props.IntProperty(
        name="Cache Size (MB)",
        description="Maximum disk space for cells and breaks of earlier runs, in MB. Shatter uses them again where "
        "their settings have not changed. A full cache deletes the least recently used first. 0 turns the cache off",
        min=0,
        soft_max=8192,
        default=MOST_BYTES >> 20,
    )

    compile_ahead: bpy.props.BoolProperty(
        name="Compile Ahead",
        description="Compile in the background when Blender starts after an update of the extension, so that the first "
        "Shatter need not. Turn it off to save processor time",
        default=True,
    )

    # Steps of the panel's hint line that the artist has done, separated by spaces.
    done_steps: bpy.props.StringProperty(name="Done Steps", options={"HIDDEN"})

    def draw(self, context: Any) -> None:
        """Draw the preferences."""
        self.layout.use_property_split = True
        self.layout.prop(self, "cache_folder")
        self.layout.prop(self, "kept_megabytes")
        self.layout.prop(self, "compile_ahead")
        self.layout.operator("fracture.forget")
