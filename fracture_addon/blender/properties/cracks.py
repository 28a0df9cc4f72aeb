"""Settings for crack growth and for the shape of crack faces."""

from __future__ import annotations

from ...core.data.job import Settings
from .overridable import EnumProperty, FloatProperty, IntProperty

DEFAULTS = Settings()

BOND_ITEMS = (
    ("FULL", "Full", "Bonds over the whole face between two cells, which carry force and moment. Gives shards"),
    (
        "POINT",
        "Point",
        "Point masses and distance constraints (Smith et al. 2001). Gives mostly dust. For comparison only",
    ),
)
LATTICE_ITEMS = (
    ("TETRAHEDRA", "Irregular", "Springs along the edges of irregular tetrahedra. Cracks prefer no direction"),
    ("CUBES", "Cubes", "Springs in a regular grid of cubes, as in the original paper. Cracks tend to follow the grid"),
)
LOADING_ITEMS = (
    (
        "RAMP",
        "Levels",
        "Raise the load level by level. At each level the most overloaded bonds break first. "
        "Point bonds use equal steps",
    ),
    ("EVENTS", "Events", "Raise the load exactly to the next bond that fails. More accurate and slower"),
)
CONTACT_ITEMS = (
    ("VOLUME", "Overlap", "Contact force from the volume in which elements overlap. Also finds edges that cross"),
    ("NODE", "Nodes", "Contact force from the depth of nodes inside elements. Faster, but misses edges that cross"),
)
CRACK_ITEMS = (
    ("LOBE", "Lobe", "Weaken the faces ahead of the crack, by Crack Growth and as narrowly as Straightness sets"),
    ("NONE", "None", "No weakening. New cracks start everywhere"),
    ("MODERATE", "Moderate", "Weaken faces ahead and across up to two times (Smith et al. 2001)"),
    (
        "MODERATE_AS_PRINTED",
        "Moderate, as Printed",
        "The formula exactly as printed by Smith et al. 2001, which also strengthens some faces. For comparison only",
    ),
    ("DRAMATIC", "Dramatic", "Weaken faces ahead and across up to a thousand times (Smith et al. 2001)"),
)

RELIEF_ITEMS = (
    ("SMOOTH", "Smooth", "Slightly uneven"),
    ("CONCHOIDAL", "Conchoidal", "Curved shells with faint ripples around the point of impact: glass, flint, ice"),
    ("GRANULAR", "Granular", "Fine granular bumps: stone, brick, clay"),
    ("STONY", "Stony", "Round stones in a finer matrix; the crack runs around the stones: concrete"),
    ("SPLINTERED", "Splintered", "Fibres along the grain, torn at their ends: wood"),
)


class CrackProperties:
    """Settings of an object for its cracks."""

    bonds: EnumProperty(name="Bonds", description="Kind of bond between two cells", items=BOND_ITEMS)
    lattice: EnumProperty(name="Lattice", description="Arrangement of the springs", items=LATTICE_ITEMS)
    loading: EnumProperty(name="Loading", description="How the load of an impact is raised", items=LOADING_ITEMS)
    contact: EnumProperty(
        name="Contact", description="Contact criterion between crack faces and between bodies", items=CONTACT_ITEMS
    )
    load_steps: IntProperty(
        name="Load Steps",
        description="Number of steps in which the load of an impact rises and falls. Only for point bonds. "
        "Raise it for more accuracy; each step takes time",
        default=DEFAULTS.load_steps,
        min=1,
        soft_max=100,
    )
    crack_function: EnumProperty(
        name="Weakening", description="How a broken face weakens the faces next to it", items=CRACK_ITEMS
    )
    crack_growth: FloatProperty(
        name="Crack Growth",
        description="How much a broken face weakens the faces ahead of it, 0 to 1. "
        "Raise it for long cracks, lower it for many short ones",
        default=DEFAULTS.crack_growth,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    crack_sharpness: FloatProperty(
        name="Straightness",
        description="How narrowly a crack weakens the faces straight ahead of it. Raise it for straighter cracks",
        default=DEFAULTS.crack_sharpness,
        min=0.5,
        max=32.0,
        precision=1,
    )
    relief: EnumProperty(
        name="Relief", description="Look of the crack faces. Material presets set it", items=RELIEF_ITEMS
    )
    roughness: FloatProperty(
        name="Roughness",
        description="Height of the relief on crack faces, as a fraction of the cell size. 0 for flat faces",
        default=DEFAULTS.roughness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    relief_size: FloatProperty(
        name="Relief Size",
        description="Multiplies the width of the bumps on crack faces. 1 is the usual size for this kind of relief",
        default=DEFAULTS.relief_size,
        min=0.1,
        max=10.0,
        precision=2,
    )
    fractal_depth: IntProperty(
        name="Subdivisions",
        description="Number of times that crack faces are subdivided. Raise it for close-ups. "
        "Each time gives four times as many triangles",
        default=DEFAULTS.fractal_depth,
        min=0,
        max=5,
    )
    fractal_amplitude: FloatProperty(
        name="Unevenness",
        description="Displacement of the middle of each subdivided edge, as a fraction of the edge's length. "
        "Smooth and conchoidal faces do not use it",
        default=DEFAULTS.fractal_amplitude,
        min=0.0,
        max=0.5,
        subtype="FACTOR",
    )
    wall_smoothing: IntProperty(
        name="Smoothing",
        description="Number of smoothing passes over the crack faces. "
        "Raise it if the jagged edges of the cells, or the steps of cubes, are visible",
        default=DEFAULTS.wall_smoothing,
        min=0,
        max=50,
    )
    chips: FloatProperty(
        name="Chips",
        description="Fraction of the cells along crack edges that come off as small pieces. "
        "Raise it for more small pieces; 0 for none",
        default=DEFAULTS.chips,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    face_budget: IntProperty(
        name="Face Budget",
        description="Approximate maximum number of triangles on all crack faces of one break. "
        "Raise it if subdivisions stop too early; lower it to save memory",
        default=DEFAULTS.face_budget,
        min=1000,
        soft_max=1_000_000,
    )
