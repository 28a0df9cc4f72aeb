"""How an object breaks, and into what."""

from __future__ import annotations

import bpy

from ...core.data.job import Settings
from .. import limits
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

DEFAULTS = Settings()

METHOD_ITEMS = (
    (
        "NETWORK",
        "Network",
        "A network of rigid cells and the bonds between them. Breaks stiff, brittle things in one instant: "
        "glass, ceramics, stone",
    ),
    (
        "LATTICE",
        "Lattice",
        "A lattice of springs that rings from the blow. Breaks what bends and sways before it goes",
    ),
    (
        "FEM",
        "Finite Elements",
        "An elastic body whose cracks run through its cells, and not only between them",
    ),
)
DUST_ITEMS = (
    ("MERGE", "Merge", "Crumbs stay a part of the neighbour with which they share the most"),
    ("DROP", "Drop", "Crumbs vanish when they break off, and their volume with them"),
    ("DEBRIS", "Debris", "Crumbs break off as grains that fly, bounce off the colliders and come to rest on them"),
)

VELOCITY_ITEMS = (
    ("MOMENTUM", "Momentum", "The momentum that the blow gave to its cells is that of each piece"),
    (
        "CENTROIDS",
        "Three Centroids",
        "As published: a fit through three cells of each piece, which keeps no momentum. For comparison",
    ),
)
ISLAND_ITEMS = (
    ("JOIN", "Join", "One body: it moves as one until it breaks, and the repair makes parts that overlap one"),
    ("SEPARATE", "Separate", "A body for each part that hangs together: each falls and breaks by itself, unglued"),
)

COLOR_ITEMS = (
    ("OBJECT", "As the Object", "The colour that the object has in the viewport"),
    ("RANDOM", "Random", "A colour of its own for each piece: choose Color > Object in the viewport's shading"),
    (
        "ATTRIBUTE",
        "Random, as an Attribute",
        "The same, and in the colour attribute fracture_color too, for materials and for Color > Attribute",
    ),
)


class BreakingProperties:
    """Of an object's settings, how it is divided, what becomes of the pieces, and what it is like around the break."""

    method: EnumProperty(name="Method", description="How the breaking is computed", items=METHOD_ITEMS)
    violence: FloatProperty(
        name="Violence",
        description="Scales the load of every impact. 1 is the physics as computed; "
        "the report says how many times the breaking load that was",
        default=DEFAULTS.violence,
        min=0.0,
        soft_max=5.0,
        precision=2,
        step=10,
    )
    resolution: IntProperty(
        name="Detail",
        description="About how many cells the object is divided into. Cracks run between cells: "
        "more cells give finer cracks and take longer",
        default=DEFAULTS.cell_count,
        min=limits.LEAST_CELLS,
        max=limits.MOST_CELLS,
        soft_min=1_000,
        soft_max=30_000,
        step=500,
    )
    seed: IntProperty(
        name="Seed",
        description="Of every random choice: another seed gives other cracks, the same seed the same",
        default=DEFAULTS.seed,
        min=0,
    )

    piece_count: IntProperty(
        name="Pieces",
        description="Pieces wanted from the first break, dust apart; 0 leaves that to the violence",
        default=DEFAULTS.piece_count,
        min=0,
        max=limits.MOST_CELLS,
        soft_max=500,
    )
    dust: EnumProperty(name="Dust", description="What happens to crumbs", items=DUST_ITEMS)
    dust_volume: FloatProperty(
        name="Dust Below",
        description="A piece with less than this share of the object's volume is dust",
        default=DEFAULTS.dust_volume,
        min=0.0,
        max=0.5,
        soft_max=0.02,
        precision=4,
        step=0.01,
    )
    velocity_fit: EnumProperty(
        name="Velocities", description="How pieces get their velocities from a blow", items=VELOCITY_ITEMS
    )
    break_depth: IntProperty(
        name="Break Again",
        description="How many times over pieces may break: 1 breaks the object only",
        default=DEFAULTS.break_depth,
        min=1,
        soft_max=5,
    )
    one_object: BoolProperty(
        name="One Object",
        description="Keep all pieces in one object that geometry nodes move: lighter, for thousands of them. "
        "Without it, each piece is an object with keys of its own",
        default=False,
    )
    piece_colors: EnumProperty(name="Colours", description="Colour of the pieces in the viewport", items=COLOR_ITEMS)
    interior_material: PointerProperty(
        name="Inside",
        description="Material of the faces that a crack opens. "
        "Without one, each run makes a plain one in the colour of the object's own",
        type=bpy.types.Material,
    )
    held: BoolProperty(
        name="Held",
        description="The object stays where it is, against gravity and blows, until it breaks",
        default=False,
    )
    islands: EnumProperty(name="Islands", description="What an object of several parts is", items=ISLAND_ITEMS)
    repair: BoolProperty(
        name="Repair",
        description="Close and clean a mesh that is open, has no thickness or passes through itself; off, it is "
        "refused. Clean meshes stay as they are. The report says what was done",
        default=DEFAULTS.repair,
    )
    wall_thickness: FloatProperty(
        name="Wall",
        description="Thickness of the wall that the repair gives to open parts, on their inner side. "
        "0: holes are closed, and only sheets get a wall, a hundredth of the object thick",
        default=DEFAULTS.wall_thickness,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        unit="LENGTH",
        precision=4,
    )
