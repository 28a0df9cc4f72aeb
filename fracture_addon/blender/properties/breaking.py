"""Settings for the break: method, load, number of cells, pieces and repair."""

from __future__ import annotations

import bpy

from ...core.data.job import Settings
from . import limits
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

DEFAULTS = Settings()

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
        "Elastic elements. Cracks run through the elements, not only between them. "
        "Also for materials that yield: metal, plastic",
    ),
)
DUST_ITEMS = (
    ("MERGE", "Merge", "Each dust piece stays attached to the neighbour with which it shares the largest area"),
    ("DROP", "Drop", "Dust pieces are removed when they break off. Their volume is lost"),
    ("DEBRIS", "Debris", "Dust pieces become debris that flies, bounces off colliders and comes to rest on them"),
)

VELOCITY_ITEMS = (
    ("MOMENTUM", "Momentum", "Each piece keeps the momentum that the impact gave to its cells"),
    (
        "CENTROIDS",
        "Three Centroids",
        "Fit the velocity to three cells of each piece (Smith et al. 2001). "
        "This does not conserve momentum. For comparison only",
    ),
)
ISLAND_ITEMS = (
    ("JOIN", "Join", "All parts are one body and move together until it breaks. Repair merges parts that overlap"),
    ("SEPARATE", "Separate", "Each connected part is a body of its own. It falls and breaks by itself"),
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
)


class BreakingProperties:
    """Settings of an object for its break and its pieces."""

    method: EnumProperty(name="Method", description="Method that computes the cracks", items=METHOD_ITEMS)
    violence: FloatProperty(
        name="Violence",
        description="Multiplies the load of every impact. 1 is the physical load. "
        "Raise it to get more pieces. The report shows how many times the breaking load was reached",
        default=DEFAULTS.violence,
        min=0.0,
        soft_max=5.0,
        precision=2,
        step=10,
    )
    resolution: IntProperty(
        name="Detail",
        description="Approximate number of cells in the object. "
        "Raise it for finer cracks; the computation then takes longer",
        default=DEFAULTS.cell_count,
        min=limits.LEAST_CELLS,
        max=limits.MOST_CELLS,
        soft_min=1_000,
        soft_max=30_000,
        step=500,
    )
    seed: IntProperty(
        name="Seed",
        description="Seed of all random numbers. Change it to get different cracks; the same seed repeats the result",
        default=DEFAULTS.seed,
        min=0,
    )

    piece_count: IntProperty(
        name="Pieces",
        description="Number of pieces from the first break, without dust. "
        "0 lets the load determine it. Set it when you need a certain number",
        default=DEFAULTS.piece_count,
        min=0,
        max=limits.MOST_CELLS,
        soft_max=500,
    )
    dust: EnumProperty(name="Dust", description="What happens to pieces smaller than the dust volume", items=DUST_ITEMS)
    dust_volume: FloatProperty(
        name="Dust Below",
        description="Pieces below this fraction of the object's volume are dust. "
        "Raise it if there are too many small pieces; 0 for no dust",
        default=DEFAULTS.dust_volume,
        min=0.0,
        max=0.5,
        soft_max=0.02,
        precision=4,
        step=0.01,
    )
    velocity_fit: EnumProperty(
        name="Velocities", description="How pieces get their velocities from an impact", items=VELOCITY_ITEMS
    )
    break_depth: IntProperty(
        name="Break Again",
        description="How many generations can break. 1: only the object breaks. 2: its pieces can break too, and so on",
        default=DEFAULTS.break_depth,
        min=1,
        soft_max=5,
    )
    one_object: BoolProperty(
        name="One Object",
        description="Put all pieces into one object that geometry nodes move. Use it for thousands of pieces. "
        "Off: each piece is an object with its own keyframes",
        default=False,
    )
    piece_colors: EnumProperty(name="Colours", description="Colour of the pieces in the viewport", items=COLOR_ITEMS)
    interior_material: PointerProperty(
        name="Inside",
        description="Material of the crack faces. If empty, each run creates one in the colour of the object",
        type=bpy.types.Material,
    )
    held: BoolProperty(
        name="Held",
        description="Keep the object fixed until it breaks: gravity and impacts do not move it. "
        "Key it off to release the object on a certain frame",
        default=False,
    )
    islands: EnumProperty(
        name="Islands",
        description="Whether the separate parts of an object are one body or several",
        items=ISLAND_ITEMS,
    )
    repair: BoolProperty(
        name="Repair",
        description="Repair a mesh that is open, has no thickness or intersects itself. Off: such a mesh is refused. "
        "Valid meshes are not changed. The report lists the repairs",
        default=DEFAULTS.repair,
    )
    wall_thickness: FloatProperty(
        name="Wall",
        description="Thickness of the wall that repair gives to open parts, towards the inside. Set it for vessels. "
        "0: holes are closed, and only sheets get a wall, 1 % of the object's size",
        default=DEFAULTS.wall_thickness,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        unit="LENGTH",
        precision=4,
    )
