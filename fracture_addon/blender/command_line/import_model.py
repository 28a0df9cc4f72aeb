"""Open .blend files, or import model files into an empty scene with Blender's importers, and scale them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import addon_utils
import bpy
from mathutils import Matrix

from ...core.data.errors import InvalidMeshError, SettingsError
from ..read import settings
from ..scene import result_lookup
from ..setup.placing import bounds, move
from ..write import materials
from . import gltf_header, ply_header

# Y is up in Wavefront (by convention) and glTF files (by specification); their importers rotate them to Z up.
IMPORTERS = {
    ".obj": lambda path: _import_wavefront(path),
    ".ply": lambda path: _import_ply(path),
    ".stl": lambda path: bpy.ops.wm.stl_import(filepath=path),
    ".glb": lambda path: _import_gltf(path),
    ".gltf": lambda path: _import_gltf(path),
}
SUFFIXES = (".blend", *IMPORTERS)


def open_input(path: Path) -> list[bpy.types.Object]:
    """Open a .blend file, or import a model into an empty scene.

    Returns:
        Its mesh objects, and selected curves, surfaces and texts, by name. If some meshes have faces, those without are
        omitted. Pieces of earlier runs are omitted.

    Raises:
        InvalidMeshError: Blender cannot read the file, or it contains no mesh.
    """
    try:
        with quiet():
            if path.suffix.lower() == ".blend":
                bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
            else:
                bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
                IMPORTERS[path.suffix.lower()](str(path))
    except (RuntimeError, OSError) as error:
        # An importer that is a script reports its traceback; the last line contains the reason.
        reason = " ".join(str(error).strip().splitlines()[-1:]).removeprefix("Error: ")
        raise InvalidMeshError(f"'{path}' cannot be read ({reason}); export it again") from error
    shapes = _breakable()
    # A curve may be a path and a text may be a note, so they count only if selected.
    found = [obj for obj in shapes if obj.type == "MESH" or obj.select_get()]
    found = [obj for obj in found if result_lookup.SOURCE not in obj]
    if not found:
        raise InvalidMeshError(f"'{path}' contains no mesh to break; export one to it")
    with_faces = [obj for obj in found if obj.type != "MESH" or obj.data.polygons]
    return sorted(with_faces or found, key=lambda obj: obj.name)


def _breakable() -> list[Any]:
    context: Any = bpy.context
    return [obj for obj in context.view_layer.objects if obj.type in settings.BREAKABLE]


def chosen(objects: Sequence[bpy.types.Object], name: str | None) -> list[bpy.types.Object]:
    """Return the object with a name; without a name, the objects that Shatter would break: selected ones, or else all.

    Raises:
        SettingsError: The object does not exist.
    """
    if name is None:
        return settings.chosen([obj for obj in objects if obj.select_get()] or objects)
    shapes = _breakable()
    named = [obj for obj in shapes if obj.name == name]
    if not named:
        known = ", ".join(obj.name for obj in objects)
        raise SettingsError(f"--object {name}: this mesh does not exist; choose from {known}")
    return named


def scale_to(objects: Sequence[bpy.types.Object], height: float) -> None:
    """Scale objects together about the centre of their base, and move that to the origin.

    Args:
        objects: Imported objects.
        height: Height after scaling, scene units.

    Raises:
        InvalidMeshError: The objects have no height.
    """
    low, high = bounds(objects)
    if not high[2] - low[2] > 0.0:
        raise InvalidMeshError(f"'{objects[0].name}' has no height to scale; give it thickness, or omit --height")
    foot = Matrix.Translation((-0.5 * (low[0] + high[0]), -0.5 * (low[1] + high[1]), -low[2]))
    move(objects, Matrix.Scale(height / (high[2] - low[2]), 4) @ foot)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard what Blender prints to standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            os.dup2(nowhere.fileno(), 1)
            yield
    finally:
        if os.name == "posix":
            # Blender also prints through the C library, which buffers lines unless it writes to a terminal.
            ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)


def _import_wavefront(path: str) -> None:
    bpy.ops.wm.obj_import(filepath=path, forward_axis="NEGATIVE_Z", up_axis="Y")
    for material in bpy.data.materials:
        materials.make_glass(material)


def _import_ply(path: str) -> None:
    ply_header.check(Path(path))
    bpy.ops.wm.ply_import(filepath=path)


def _import_gltf(path: str) -> None:
    gltf_header.check(Path(path))
    # The importer is an add-on of Blender, which the bpy module does not enable.
    if not hasattr(bpy.types, "IMPORT_SCENE_OT_gltf"):
        addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=path)
