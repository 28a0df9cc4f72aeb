"""Put the scene back as it was before Shatter."""

from __future__ import annotations

import bpy

from .. import previews, results, run, settings
from .at_once import AtOnce
from .availability import editing, lacking, running, usable


class FRACTURE_OT_clear(AtOnce, bpy.types.Operator):
    """Takes the pieces out again."""

    bl_idname = "fracture.clear"
    bl_label = "Clear"
    bl_description = "Remove the pieces and previews of the selected objects, and show the objects whole again"

    @classmethod
    def poll(cls, context):
        """Only in object mode, with something selected, while nothing runs."""
        found = changed(settings.selection(context))
        nothing = lacking(found, "Select a broken object, one of its pieces, or one with a preview")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context):
        """Clear the selected objects; a piece stands for the object that it came from."""
        results.clear(context, changed(settings.selection(context)))
        run.message = None


def changed(objects) -> list[bpy.types.Object]:
    """The objects that have a result or a preview, among some objects and those that some pieces came from."""
    around = {collection for obj in objects if results.SOURCE in obj for collection in obj.users_collection}
    sources = {collection[results.OF] for collection in around if collection.get(results.OF)}
    found = {obj for obj in (*objects, *sources) if results.collection_of(obj)} | set(previews.previewed(objects))
    return sorted(found, key=lambda obj: obj.name)
