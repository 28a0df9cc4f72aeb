"""Paint a region of the active object: weak, strong, fine, dust or pinned."""

from __future__ import annotations

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
        setting: Setting that names the vertex group.
        label: Name of this setting in the panel.
        factor: Factor of the setting; 0 where it has none.
    """

    name: str
    effect: str
    setting: str
    label: str
    factor: float = 0.0


# The factors are chosen: weak places break first, strong ones stay whole, fine ones have several pieces for one.
KINDS = {
    "WEAK": _Kind("Weak", "has a fifth of the strength", "strength_paint", "Strength Paint", 0.2),
    "STRONG": _Kind("Strong", "has five times the strength", "strength_paint", "Strength Paint", 5.0),
    "FINE": _Kind("Fine", "has smaller cells, for smaller pieces", "fineness_paint", "Fineness Paint", 3.0),
    "DUST": _Kind("Dust", "turns to dust that flies, when the object breaks", "dust_paint", "Dust Paint"),
    "PINNED": _Kind("Pinned", "stays when the rest falls", "pin_group", "Pinned"),
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
        group = obj.fracture
        name, factor_name = getattr(group, kind.setting), f"{kind.setting}_factor"
        own = obj.vertex_groups.get(name) if name else None
        if name and own is None:
            raise SceneError(
                f"'{obj.name}': {kind.label} is '{name}', which is no vertex group; empty {kind.label} first"
            )
        if own is not None and kind.factor and (kind.factor < 1.0) != (getattr(group, factor_name) < 1.0):
            raise SceneError(
                f"'{obj.name}': {kind.label} '{name}' has the factor {getattr(group, factor_name):.3g}; change the "
                f"factor, or empty {kind.label} first"
            )
        if own is None:
            own = obj.vertex_groups.new(name=kind.name)
            setattr(group, kind.setting, own.name)
            if self.kind == "DUST" and group.dust == "MERGE":
                group.dust = "DEBRIS"  # merged dust cannot be seen
            if kind.factor:
                setattr(group, factor_name, kind.factor)
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


def _add_brush() -> None:
    """Paint with a new brush. Some Blender packages, such as Debian's 4.3, lack Blender's own brushes."""
    brush = bpy.data.brushes.new("Weight", mode="WEIGHT_PAINT")
    brush.asset_mark()  # only assets can be activated
    bpy.ops.brush.asset_activate(asset_library_type="LOCAL", relative_asset_identifier=f"Brush/{brush.name}")
