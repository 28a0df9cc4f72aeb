"""Paint a region of the active object: weak, strong, fine, dust or pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import run
from .availability import editing, linked, no_mesh, running, subject, usable
from .immediate_operator import ImmediateOperator

# Fewer points make regions of few large triangles. Chosen.
FEW_POINTS = 100


@dataclass(frozen=True)
class _Kind:
    """What is painted.

    Attributes:
        name: Name of the region, and of its vertex group.
        effect: What it does.
        settings: Names in the panel of the settings that may name the vertex group, by name of the property.
        factor: Factor of the setting; 0 where it has none.
    """

    name: str
    effect: str
    settings: Mapping[str, str]
    factor: float = 0.0


# Two settings, so that an object may have weak and strong regions.
STRENGTH = {"strength_paint": "Strength Paint", "second_strength_paint": "Second Strength Paint"}
# The factors are chosen: weak places break first, strong ones stay whole, fine ones have several pieces for one.
KINDS = {
    "WEAK": _Kind("Weak", "has a fifth of the strength", STRENGTH, 0.2),
    "STRONG": _Kind("Strong", "has five times the strength", STRENGTH, 5.0),
    "FINE": _Kind("Fine", "has smaller cells, for smaller pieces", {"fineness_paint": "Fineness Paint"}, 3.0),
    "DUST": _Kind("Dust", "turns to dust that flies, when the object breaks", {"dust_paint": "Dust Paint"}),
    "PINNED": _Kind("Pinned", "stays when the rest falls", {"pin_group": "Pinned"}),
}


class FRACTURE_OT_paint(ImmediateOperator, bpy.types.Operator):
    """Paint a region of the active object."""

    bl_idname = "fracture.paint"
    bl_label = "Shatter: Paint"
    bl_description = (
        "Paint a region of the active object with Blender's weight brush. Red is painted. Return to Object Mode, then "
        "press Shatter"
    )

    kind: bpy.props.EnumProperty(
        name="Region",
        description="What is painted",
        items=[(key, kind.name, f"The painted region {kind.effect}") for key, kind in KINDS.items()],
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip of the region."""
        return f"{cls.bl_description}. The painted region {KINDS[properties.kind].effect}"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh, in object mode, and no run is in progress."""
        return usable(cls, running(), no_mesh(context), linked(context), editing(context))

    def act(self, context: Any) -> None:
        """Add the vertex group if the object has none for this setting, and start Weight Paint Mode."""
        obj, kind = subject(context), KINDS[self.kind]
        if not obj.visible_get():
            frame = context.scene.frame_current
            raise SceneError(f"'{obj.name}' is hidden on frame {frame}; go to a frame before it breaks, or show it")
        group, setting = obj.fracture, _setting(obj, kind)
        name = getattr(group, setting)
        own = obj.vertex_groups.get(name) if name else None
        if name and own is None:
            label = kind.settings[setting]
            raise SceneError(f"'{obj.name}': {label} is '{name}', which is no vertex group; empty {label} first")
        if own is None:
            own = obj.vertex_groups.new(name=kind.name)
            setattr(group, setting, own.name)
            if self.kind == "DUST" and group.dust == "MERGE":
                group.dust = "DEBRIS"  # merged dust cannot be seen
            if kind.factor:
                setattr(group, f"{setting}_factor", kind.factor)
        obj.vertex_groups.active = own
        for other in context.selected_objects:
            other.select_set(other == obj)
        context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        if context.tool_settings.weight_paint.brush is None:
            _add_brush()
        few = len(obj.data.vertices) < FEW_POINTS
        run.say(
            f"Paint '{own.name}', then return to Object Mode"
            + (f"; '{obj.name}' has few points, so subdivide it for finer regions" if few else ""),
            mode=context.mode,
        )


def _setting(obj: Any, kind: _Kind) -> str:
    """Return the setting of a region: one with a factor on the same side of 1, else one without paint.

    Raises:
        SceneError: All settings have paint with a factor on the other side of 1.
    """
    group = obj.fracture
    painted = [setting for setting in kind.settings if getattr(group, setting)]
    for setting in painted:
        if not kind.factor or (kind.factor < 1.0) == (getattr(group, f"{setting}_factor") < 1.0):
            return setting
    free = [setting for setting in kind.settings if setting not in painted]
    if free:
        return free[0]
    setting, label = painted[-1], kind.settings[painted[-1]]
    raise SceneError(
        f"'{obj.name}': {label} '{getattr(group, setting)}' has the factor {getattr(group, f'{setting}_factor'):.3g}; "
        f"change the factor, or empty {label} first"
    )


def _add_brush() -> None:
    """Paint with a new brush. Some Blender packages, such as Debian's 4.3, lack Blender's own brushes."""
    brush = bpy.data.brushes.new("Weight", mode="WEIGHT_PAINT")
    brush.asset_mark()  # only assets can be activated
    bpy.ops.brush.asset_activate(asset_library_type="LOCAL", relative_asset_identifier=f"Brush/{brush.name}")
