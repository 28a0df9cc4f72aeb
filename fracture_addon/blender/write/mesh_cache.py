"""Deformable bodies: objects with Blender's Mesh Cache modifier, and the PC2 files that it reads."""

from __future__ import annotations

import filecmp
import hashlib
import shutil
import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import WorkerError
from ...core.data.recording import NEVER, Deformed, Fragment
from ...core.storage import files
from .. import extension
from .mesh import Look, add_attribute, write_mesh, write_rest, write_weights

MODIFIER, PIECE = "Fracture", "fracture_piece"
# Header of the PC2 format: signature, version, points, first frame, frames per sample, samples.
HEADER = "<12siiffi"
# Hexadecimal digits of the digest in a file name: 48 bits. Among 10,000 files, two agree with a probability of 2e-7.
DIGITS = 12


def add_object(name: str, deformed: Deformed, look: Look, unit: float, start: int, path: Path) -> bpy.types.Object:
    """Create an object that shows a deformable body; it is not in a collection yet.

    Args:
        name: Name of the object and its mesh.
        deformed: Motion of the body's points.
        look: Materials and layers of the source.
        unit: Metres per scene unit.
        start: First frame of the recording.
        path: Path of the PC2 file that ``write`` wrote.
    """
    surface = deformed.surface
    whole = Fragment(
        body=deformed.body,
        parent=-1,
        surface=surface,
        interior=deformed.interior,
        center=np.zeros(3),
        mass=0.0,
        birth_frame=start,
        death_frame=NEVER,
        poses=np.zeros((0, 7)),
    )
    mesh = write_mesh(name, whole, look, unit, deforms=True)
    write_rest(mesh, surface.points / unit)
    add_attribute(mesh, PIECE, "INT", "FACE", deformed.piece_of_face)
    result = bpy.data.objects.new(name, mesh)
    write_weights(result, surface)
    modifier: Any = result.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", _shown(path), float(start)
    return result


def path_of(scene: bpy.types.Scene, name: str, deformed: Deformed, start: int, place: Path | None = None) -> Path:
    """Return the path of a deformed object's file, which does not exist yet or has the same contents.

    The name contains a digest of the contents. A new result therefore never overwrites the file of an earlier one,
    which a saved file, another Blender, or Undo may still show.

    Args:
        scene: The scene of the object.
        name: The object's name.
        deformed: Its points.
        start: First frame of the recording.
        place: The folder to keep it in; that of the scene by default.

    Raises:
        FolderError: The artist's folder has no absolute path, or there is no user folder.
    """
    facts = (name, start, scene.unit_settings.scale_length, deformed.points.shape)
    digest = hashlib.sha256(repr(facts).encode())
    digest.update(deformed.points.tobytes())
    return (place or folder(scene)) / f"{bpy.path.clean_name(name)}_{digest.hexdigest()[:DIGITS]}.pc2"


def folder(scene: bpy.types.Scene) -> Path:
    """Return the folder of PC2 files: the scene's cache folder, one beside the saved file, or one in the user's folder.

    Raises:
        FolderError: The artist's folder has no absolute path, or there is no user folder.
    """
    if scene.fracture.cache_path:
        return extension.artist_folder(scene.fracture.cache_path, "Cache Folder")
    if bpy.data.filepath:
        return beside(Path(bpy.data.filepath))
    return extension.user_folder("mesh_caches")


def beside(path: Path) -> Path:
    """Return the folder of PC2 files beside a .blend file."""
    return path.with_name(f"{path.stem}_fracture")


def write(path: Path, points: np.ndarray, start: int) -> None:
    """Write a PC2 file of points (T, P, 3), one sample per frame from frame ``start`` on.

    Raises:
        WorkerError: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.replacing(path, sync=True) as part, open(part, "wb") as file:
            file.write(struct.pack(HEADER, b"POINTCACHE2", 1, points.shape[1], float(start), 1.0, len(points)))
            file.write(np.ascontiguousarray(points, "<f4").tobytes())
    except OSError as error:
        raise WorkerError(
            f"'{path}' cannot be written ({error.strerror or error}); free some space, or set another Cache "
            "Folder in the section Preview and Cache"
        ) from error


def copy_files_for(target: Path) -> list[Path]:
    """Copy the PC2 files of all deformable objects to the folder of a .blend file that is about to be saved.

    Returns:
        The files that did not exist before.

    Raises:
        WorkerError: A file cannot be written; the new files are removed again.
    """
    made: list[Path] = []
    for obj in bpy.data.objects:
        modifier = obj.modifiers.get(MODIFIER)
        if modifier is None or modifier.type != "MESH_CACHE" or obj.library is not None:
            continue
        source = Path(bpy.path.abspath(modifier.filepath))
        if not source.is_file():
            continue  # the object has lost its file already
        copy = beside(target) / source.name
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not (copy.exists() and filecmp.cmp(source, copy, shallow=False)):
                made += [] if copy.exists() else [copy]
                with files.replacing(copy, sync=True) as part:
                    shutil.copyfile(source, part)
        except OSError as error:
            for path in made:
                path.unlink(missing_ok=True)
            raise WorkerError(f"'{copy}' cannot be written ({error.strerror or error}); free some space") from error
        modifier.filepath = f"//{copy.parent.name}/{copy.name}"
    return made


def _shown(path: Path) -> str:
    """Return a path as Blender stores it: relative to the saved file, or absolute if the file is not saved."""
    return bpy.path.relpath(str(path)) if bpy.data.filepath else str(path)
