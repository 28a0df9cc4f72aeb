"""What holds for every file: shown in Blender's preferences under the extension."""

from __future__ import annotations

import bpy

from ..core.timeline.cache import MOST_BYTES


class FractureAddonPreferences(bpy.types.AddonPreferences):
    """Preferences of the extension; ``bl_idname`` is set on registration, when its name is known."""

    bl_idname = ""

    cache_folder: bpy.props.StringProperty(
        name="Working Folder",
        description="Folder for the temporary files of a run; the system's own when empty. "
        "They are removed when the run ends",
        subtype="DIR_PATH",
    )

    kept_megabytes: bpy.props.IntProperty(
        name="Keep for Later",
        description="Disk space for cells and breaks of earlier runs, in megabytes: Shatter takes them up again where "
        "nothing changed that they depend on. What was not used for longest goes first; 0 keeps nothing",
        min=0,
        soft_max=8192,
        default=MOST_BYTES >> 20,
    )

    def draw(self, context):
        """Show what there is to choose."""
        self.layout.use_property_split = True
        self.layout.prop(self, "cache_folder")
        self.layout.prop(self, "kept_megabytes")
        self.layout.operator("fracture.forget")
