"""Export of results as Alembic, USD or glTF, with Blender's own exporters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..scene.action_curves import curves_of
from ..scene.result_lookup import EVENTS
from ..scene.result_motion import HIDES
from . import later_motion

# Formats and the suffixes of their files.
SUFFIXES = {"ABC": ".abc", "USD": ".usdc", "GLTF": ".glb"}
# Formats that a build of Blender may lack: their build options, and their names.
OPTIONAL = {"ABC": ("alembic", "Alembic"), "USD": ("usd", "USD")}


def write(context: Any, path: Path, kind: str, sources: Sequence[Any], pieces: Sequence[Any]) -> int:
    """Write objects with their motion on the frames of the scene.

    Alembic and USD have visibility that changes: the sources show until they break, and the pieces from then on. glTF
    has none. There the file has the last pieces only, and these show the whole object until it breaks.

    Args:
        context: Context of the scene.
        path: The file.
        kind: A key of ``SUFFIXES``.
        sources: Broken objects and projectiles, or none.
        pieces: Their pieces.

    Returns:
        The number of objects in the file.

    Raises:
        SceneError: This build of Blender cannot write the format.
        RuntimeError: From Blender's exporter.
    """
    if not can_write(kind):
        raise SceneError(cannot_write(kind))
    scene = context.scene
    shown = [piece for piece in pieces if piece.type == "MESH" and EVENTS not in piece]
    shown = [item for item in shown if not later_motion.dies(item)] if kind == "GLTF" else [*sources, *shown]
    chosen = bpy.data.collections.new("Export")
    try:
        for obj in shown:
            chosen.objects.link(obj)
        if kind == "ABC":
            bpy.ops.wm.alembic_export(
                filepath=str(path),
                collection=chosen.name,
                start=scene.frame_start,
                end=scene.frame_end,
                face_sets=True,  # which faces have which material
                as_background_job=False,
            )
        elif kind == "USD":
            bpy.ops.wm.usd_export(filepath=str(path), collection=chosen.name, export_animation=True)
        else:
            with _always_visible(shown):
                bpy.ops.export_scene.gltf(
                    filepath=str(path), collection=chosen.name, export_animation_mode="ACTIVE_ACTIONS"
                )
    finally:
        bpy.data.collections.remove(chosen)
    return len(shown)


def can_write(kind: str) -> bool:
    """Return whether this build of Blender has the exporter of a format."""
    return kind not in OPTIONAL or bool(getattr(bpy.app.build_options, OPTIONAL[kind][0]))


def cannot_write(kind: str) -> str:
    """Return the message that this build of Blender cannot write a format of ``OPTIONAL``."""
    return (
        f"This Blender was built without {OPTIONAL[kind][1]}; choose another format, or use a Blender from blender.org"
    )


@contextmanager
def _always_visible(objects: Sequence[Any]) -> Iterator[None]:
    """Show objects on all frames within the ``with`` statement."""
    keyed = [curves for obj in objects if (curves := curves_of(obj))]
    curves = [curve for own in keyed for path in HIDES if (curve := own.find(path)) is not None]
    before = [(obj, path, getattr(obj, path)) for obj in objects for path in HIDES]
    for curve in curves:
        curve.mute = True
    for obj, path, _ in before:
        setattr(obj, path, False)
    try:
        yield
    finally:
        for curve in curves:
            curve.mute = False
        for obj, path, value in before:
            setattr(obj, path, value)
