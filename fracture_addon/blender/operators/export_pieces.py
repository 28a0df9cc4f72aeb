"""Export results as Alembic, USD or glTF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ...core.storage import files
from ..process import run
from ..read import settings
from ..scene.result_lookup import collection_of, pieces_of, projectiles_of, subject_of
from ..write import exported
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator
from .status import Status


class FRACTURE_OT_export_pieces(ImmediateOperator, bpy.types.Operator):
    """Export results with their motion."""

    bl_idname = "fracture.export_pieces"
    bl_label = "Shatter: Export Pieces"
    bl_description = (
        "Write the pieces of the selected objects, with their motion on the frames of the scene, to a file for another "
        "program"
    )
    bl_options: Any = {"REGISTER"}

    filepath: bpy.props.StringProperty(name="File", description="File to write", subtype="FILE_PATH")
    check_existing: bpy.props.BoolProperty(
        name="Check Existing",
        description="Warn in the file browser before a file is replaced",
        default=True,
        options={"HIDDEN"},
    )
    kind: bpy.props.EnumProperty(
        name="Format",
        description="Format of the file",
        items=(
            ("ABC", "Alembic", "Transforms and meshes on each frame, with visibility"),
            ("USD", "USD", "Transforms and meshes on each frame, with visibility"),
            ("GLTF", "glTF", "For games and the web. Pieces are visible from the first frame, where they fit together"),
        ),
    )
    sources: bpy.props.BoolProperty(
        name="Unbroken Objects",
        description="Also write the objects as they are until they break, and what hits them. glTF does not need them",
        default=True,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has pieces, in object mode, and no run is in progress."""
        nothing = unless(_results(context), "Select a broken object or a piece of it")
        return usable(cls, running(), editing(context), nothing)

    def invoke(self, context: Any, _event: bpy.types.Event) -> Status:
        """Ask for the file, if this Blender can write the format."""
        if not exported.can_write(self.kind):
            self.report({"ERROR"}, exported.cannot_write(self.kind))
            return {"CANCELLED"}
        if not self.filepath:  # beside the scene's file, and with its name
            self.filepath = str(Path(bpy.data.filepath or "pieces").with_suffix(exported.SUFFIXES[self.kind]))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, _context: Any) -> bool:
        """Give the file the suffix of the chosen format; return whether it had another one."""
        given, self.filepath = self.filepath, _with_suffix(self.filepath, self.kind)
        return given != self.filepath

    def draw(self, _context: Any) -> None:
        """Draw the settings of the format in the file browser."""
        layout: Any = self.layout
        layout.use_property_split = True
        layout.prop(self, "kind")
        if self.kind != "GLTF":
            layout.prop(self, "sources")

    def act(self, context: Any) -> None:
        """Write the file, with the suffix of its format. An older file stays until the new one is complete."""
        if not self.filepath:
            raise SceneError("No file is chosen; choose a file")
        path = Path(_with_suffix(bpy.path.abspath(self.filepath), self.kind))
        found = _results(context)
        sources = dict.fromkeys(
            item for obj, collection in found.items() for item in (obj, *projectiles_of(collection))
        )
        pieces = [piece for collection in found.values() for piece in pieces_of(collection)]
        try:
            with files.replacing(path) as part:
                count = exported.write(context, part, self.kind, list(sources) if self.sources else [], pieces)
        except (RuntimeError, OSError) as error:
            reason = str(error).strip().splitlines()[-1]
            raise SceneError(f"'{path}' cannot be written ({reason}); choose another folder") from error
        run.say(f"{count:,} objects in {path.name}")


def _with_suffix(path: str, kind: str) -> str:
    """Return a file's name with the suffix of a format, in place of that of another one."""
    wanted = exported.SUFFIXES[kind]
    for other in exported.SUFFIXES.values():
        if other != wanted and path.endswith(other):
            path = path.removesuffix(other)
    return bpy.path.ensure_ext(path, wanted)


def _results(context: Any) -> dict[Any, Any]:
    """Return the results of the selected objects, or of the objects of the selected pieces."""
    objects = dict.fromkeys(map(subject_of, settings.selection(context)))
    return {obj: collection for obj in objects if (collection := collection_of(obj)) is not None}
