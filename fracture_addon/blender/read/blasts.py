"""Read the blasts of a scene."""

from __future__ import annotations

from typing import Any

from ...core.data.blast import Blast
from ...core.data.errors import SettingsError
from . import motion, settings


def is_blast(obj: Any) -> bool:
    """Return whether an object acts as a blast."""
    return obj.type in ("EMPTY", "MESH") and obj.fracture.place == "BLAST" and not obj.hide_viewport


def blasts(context: Any, frame_range: tuple[int, int]) -> tuple[Blast, ...]:
    """Read the blasts of the scene, each with the place of its object on its frame.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene.
        frame_range: First and last frame.

    Raises:
        SettingsError: A blast has no charge, or is outside the frame range.
    """
    scene, (start, end) = context.scene, frame_range
    found = []
    for obj in sorted(filter(is_blast, scene.objects), key=lambda item: item.name):
        frame = obj.fracture.place_frame
        if not start <= frame <= end:
            raise SettingsError(
                f"The blast '{obj.name}' is on frame {frame}, outside the frames {start} to {end}; "
                "change its frame or the frame range, or hide it in the viewport"
            )
        scene.frame_set(frame)
        place = motion.world_matrix(obj, context.evaluated_depsgraph_get())[:3, 3]
        try:
            charge = settings.plain(obj.fracture.place_charge)
            found.append(Blast(frame, scene.unit_settings.scale_length * place, charge))
        except SettingsError as error:
            raise SettingsError(f"'{obj.name}': {error}") from None
    return tuple(found)
