"""What holds for every file: shown in Blender's preferences under the extension."""

from __future__ import annotations

import bpy


class FractureAddonPreferences(bpy.types.AddonPreferences):
    """Preferences of the extension; ``bl_idname`` is set on registration, when its name is known."""

    bl_idname = ""

    cache_folder: bpy.props.StringProperty(
        name="Working Folder",
        description="Folder for the temporary files of a run; the system's own when empty. "
        "They are removed when the run ends",
        subtype="DIR_PATH",
    )

    def draw(self, context):
        """Show the only choice there is."""
        self.layout.use_property_split = True
        self.layout.prop(self, "cache_folder")
