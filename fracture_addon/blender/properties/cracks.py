"""How cracks start and run."""

from __future__ import annotations

from ...core.data.job import Settings
from .overridable import EnumProperty, FloatProperty, IntProperty

DEFAULTS = Settings()

BOND_ITEMS = (
    ("FULL", "Full", "Bonds over the whole face between two cells, which carry force and moment: real shards"),
    (
        "POINT",
        "Point",
        "Point masses and distance constraints only, as first published. For comparison: it mostly makes crumbs",
    ),
)
LATTICE_ITEMS = (
    ("TETRAHEDRA", "Irregular", "Tetrahedra on points of their own, which prefer no direction"),
    ("CUBES", "Cubes", "Cubes in rows, as first published: cracks like to run along them"),
)
LOADING_ITEMS = (
    ("RAMP", "Levels", "Level after level, the worst of what is too weak breaking first; even steps with point bonds"),
    ("EVENTS", "Events", "From one failing bond to the next: exact, and slower"),
)
CONTACT_ITEMS = (
    ("VOLUME", "Overlap", "By the volume in which elements overlap: edges that cross are felt as well"),
    ("NODE", "Nodes", "By how deep nodes are in elements: quicker, and blind to edges that cross"),
)
CRACK_ITEMS = (
    ("LOBE", "Lobe", "Straight ahead, as much as the growth and as narrow as the straightness say"),
    ("NONE", "None", "Not at all: cracks start anew everywhere"),
    ("MODERATE", "Moderate", "As published, ahead and across, a little"),
    ("MODERATE_AS_PRINTED", "Moderate, as Printed", "The published formula to the letter, which also strengthens"),
    ("DRAMATIC", "Dramatic", "As published, ahead and across, a lot"),
)

RELIEF_ITEMS = (
    ("SMOOTH", "Smooth", "Gently uneven"),
    ("CONCHOIDAL", "Conchoidal", "Curved shells with faint ripples around the blow: glass, flint, ice"),
    ("GRANULAR", "Granular", "Grain by grain: stone, brick, clay"),
    ("STONY", "Stony", "Round stones in finer stuff, which the crack goes round: concrete"),
    ("SPLINTERED", "Splintered", "Fibres along the grain, torn off at their ends: wood"),
)


class CrackProperties:
    """Of an object's settings, those of its cracks."""

    bonds: EnumProperty(name="Bonds", description="What holds two cells together", items=BOND_ITEMS)
    lattice: EnumProperty(name="Lattice", description="What the springs lie along", items=LATTICE_ITEMS)
    loading: EnumProperty(name="Loading", description="How the load of an impact rises", items=LOADING_ITEMS)
    contact: EnumProperty(
        name="Contact", description="What presses where the sides of cracks and bodies meet", items=CONTACT_ITEMS
    )
    load_steps: IntProperty(
        name="Load Steps",
        description="Steps in which the load of an impact rises and falls, with point bonds",
        default=DEFAULTS.load_steps,
        min=1,
        soft_max=100,
    )
    crack_function: EnumProperty(
        name="Weakening", description="How a break weakens what is beside it", items=CRACK_ITEMS
    )
    crack_growth: FloatProperty(
        name="Crack Growth",
        description="How far a break weakens what is around it, so that cracks run on instead of starting anew",
        default=DEFAULTS.crack_growth,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    crack_sharpness: FloatProperty(
        name="Straightness",
        description="How nearly straight ahead a crack weakens: the higher, the straighter it runs",
        default=DEFAULTS.crack_sharpness,
        min=0.5,
        max=32.0,
        precision=1,
    )
    relief: EnumProperty(
        name="Relief", description="What crack faces look like; a material's preset chooses it", items=RELIEF_ITEMS
    )
    roughness: FloatProperty(
        name="Roughness",
        description="Relief of the crack faces, over the size of a cell",
        default=DEFAULTS.roughness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    relief_size: FloatProperty(
        name="Relief Size",
        description="Size of the bumps on crack faces, over what their kind has of its own",
        default=DEFAULTS.relief_size,
        min=0.1,
        max=10.0,
        precision=2,
    )
    fractal_depth: IntProperty(
        name="Subdivisions",
        description="How often crack faces are divided for close-ups: each time into four times as many",
        default=DEFAULTS.fractal_depth,
        min=0,
        max=5,
    )
    fractal_amplitude: FloatProperty(
        name="Unevenness",
        description="How far the middle of a divided edge moves, over the edge's length, on all but smooth and "
        "conchoidal faces",
        default=DEFAULTS.fractal_amplitude,
        min=0.0,
        max=0.5,
        subtype="FACTOR",
    )
    wall_smoothing: IntProperty(
        name="Smoothing",
        description="Rounds of smoothing that take the jags of the cells, and the stairs of cubes, off the cracks",
        default=DEFAULTS.wall_smoothing,
        min=0,
        max=50,
    )
    chips: FloatProperty(
        name="Chips",
        description="Share of the cells on the edges of a crack that come off as small pieces of their own",
        default=DEFAULTS.chips,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    face_budget: IntProperty(
        name="Face Budget",
        description="Triangles of all cracks of a break, about, at most: detail ends where they would be more",
        default=DEFAULTS.face_budget,
        min=1000,
        soft_max=1_000_000,
    )
