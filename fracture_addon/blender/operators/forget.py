"""Give back the disk space of what earlier runs left."""

from __future__ import annotations

import shutil

import bpy

from .. import extension
from .availability import running, usable


class FRACTURE_OT_forget(bpy.types.Operator):
    """Empties the folder of kept stages."""

    bl_idname = "fracture.forget"
    bl_label = "Forget Earlier Runs"
    bl_description = "Remove the cells and breaks that are kept for later runs; results in scenes stay"

    @classmethod
    def poll(cls, context):
        """Only while nothing runs."""
        return usable(cls, running())

    def execute(self, context):
        """Remove what can be removed, and say how much that was."""
        folder = extension.user_folder("stages")
        held = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder, ignore_errors=True)
        self.report({"INFO"}, f"{held / 2**20:.1f} MB given back")
        return {"FINISHED"}
