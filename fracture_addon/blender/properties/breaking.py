"""Settings that only Blender's side has: the method, the pieces as objects, and objects that are fixed at first."""

from __future__ import annotations

import bpy

from .overridable import BoolProperty, EnumProperty, PointerProperty
from .placed_fields import paint

METHOD_ITEMS = (
    (
        "NETWORK",
        "Network",
        "Rigid cells joined by bonds. For stiff, brittle objects that break at once: glass, ceramics, stone",
    ),
    (
        "LATTICE",
        "Lattice",
        "Point masses joined by springs, which vibrate after an impact. For objects that bend before they break, "
        "and for ropes, sheets and shells",
    ),
    (
        "FEM",
        "Finite Elements",
        "Tetrahedral elements that deform. Cracks run through the elements, not only between them. "
        "Also for materials that yield: metal, plastic",
    ),
)

COLOR_ITEMS = (
    ("OBJECT", "Same as Object", "Each piece has the viewport colour of the object"),
    (
        "RANDOM",
        "Random",
        "Each piece has a random viewport colour. To see it, choose Color > Object in the viewport's shading options",
    ),
    (
        "ATTRIBUTE",
        "Random, as an Attribute",
        "Each piece has a random viewport colour, also stored in the colour attribute fracture_color. "
        "Materials and Color > Attribute can use the attribute",
    ),
    ("SIZE", "By Size", "Viewport colours from blue (the smallest piece) to red (the largest)"),
    ("DEPTH", "By Depth", "Viewport colours from blue (pieces of the whole object) to red (pieces of pieces)"),
    ("BIRTH", "By Birth", "Viewport colours from blue (the first frame with a break) to red (the last)"),
)

EVENT_ITEMS = (
    ("OFF", "Off", "No points"),
    (
        "POINTS",
        "Points",
        "A point for each impact, break and collision, with the attributes frame, time (s), energy (J), body and kind",
    ),
    ("DUST", "Dust", "Points that emit specks of dust: an example of geometry nodes to edit"),
    ("SPARKS", "Sparks", "Points that emit sparks: the same nodes with other values"),
)


class BreakingProperties:
    """Settings of an object for its method and its pieces."""

    method: EnumProperty(
        name="Method",
        description="Method that computes the cracks. Change it for objects that bend, yield or are thin",
        items=METHOD_ITEMS,
    )
    one_object: BoolProperty(
        name="One Object",
        description="Put all pieces into one object that geometry nodes move. Use it for thousands of pieces. "
        "Off: each piece is an object with its own keyframes",
        default=False,
    )
    piece_colors: EnumProperty(name="Colours", description="Colour of the pieces in the viewport", items=COLOR_ITEMS)
    events: EnumProperty(
        name="Events",
        description="Add the impacts, breaks and collisions of a run to its result, for sound, dust and sparks. "
        "Choose it before Shatter; Write Events and Add Sound Markers need it. Deformable objects have no events",
        items=EVENT_ITEMS,
    )
    interior_material: PointerProperty(
        name="Interior Material",
        description="Material of the crack faces. If empty, each run creates one in the colour of the object",
        type=bpy.types.Material,
    )
    dust_paint: paint(
        "Dust Paint",
        "turns to dust when the object breaks, where more than half is painted. For Dust: Debris or Drop",
    )
    held: BoolProperty(
        name="Hold in Place",
        description="Keep the object in place, or on its keyframes, until it breaks: gravity and impacts do not move "
        "it. Use it for walls and windows. Key it off to release the object on a certain frame",
        default=False,
    )
    order_paint: paint(
        "Order Paint",
        "lets held pieces go in an order, with Activation One by One: full paint on the frame Order Start, less paint "
        "later, up to Order End. The most paint on a piece counts. Pieces without paint do not go because of it",
    )
