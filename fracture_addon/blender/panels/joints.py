"""Panel of the joints of an object."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.joint import VALUES
from ..read.joints import joints_of
from ..scene.result_lookup import subject_of
from .controls import draw_fitting
from .section import Section

# Joints whose settings the panel shows; of more it shows the names.
MOST_OPEN = 4


class FRACTURE_PT_joints(Section, bpy.types.Panel):
    """Join, Unjoin and Show Joints, and the joints of the active object."""

    bl_label = "Joined To"

    def draw(self, context: Any) -> None:
        """Draw the buttons and a box for each joint."""
        column, _group = self.column(context)
        row = column.row(align=True)
        row.operator("fracture.join", text="Join", icon="LINKED")
        row.operator("fracture.unjoin", text="Unjoin", icon="UNLINKED")
        column.operator("fracture.show_joints", text="Show Joints", icon="HIDE_OFF")
        obj = subject_of(context.object)
        found = joints_of(context, [obj])
        for owner, _, joint in found:
            other = joint.other if owner == obj else owner
            box = column.box().column()
            row = box.row(align=True)
            row.label(text=other.name, icon="OBJECT_DATA")
            button: Any = row.operator("fracture.unjoin", text="", icon="X")
            button.other = other.name
            if len(found) <= MOST_OPEN:
                for name in ("kind", *VALUES, "distance"):
                    draw_fitting(box.row(), joint, name)


CLASSES = (FRACTURE_PT_joints,)
