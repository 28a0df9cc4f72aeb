"""How cracks start and run."""

from __future__ import annotations

from bpy.props import EnumProperty, FloatProperty, IntProperty

from ...core.job import Settings

DEFAULTS = Settings()

BOND_ITEMS = (
    ("FULL", "Full", "Bonds over the whole face between two cells, which carry force and moment: real shards"),
    (
        "POINT",
        "Point",
        "Point masses and distance constraints only, as first published. For comparison: it mostly makes crumbs",
    ),
)
LOADING_ITEMS = (
    ("RAMP", "Levels", "Level after level, the worst of what is too weak breaking first"),
    ("EVENTS", "Events", "From one failing bond to the next: exact, and slower"),
)
CRACK_ITEMS = (
    ("LOBE", "Lobe", "Straight ahead, as much as the growth and as narrow as the straightness say"),
    ("NONE", "None", "Not at all: cracks start anew everywhere"),
    ("MODERATE", "Moderate", "As published, ahead and across, a little"),
    ("MODERATE_AS_PRINTED", "Moderate, as Printed", "The published formula to the letter, which also strengthens"),
    ("DRAMATIC", "Dramatic", "As published, ahead and across, a lot"),
)


class CrackProperties:
    """Of an object's settings, those of its cracks."""

    bonds: EnumProperty(name="Bonds", description="What holds two cells together", items=BOND_ITEMS)
    loading: EnumProperty(name="Loading", description="How the load of an impact rises", items=LOADING_ITEMS)
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
    roughness: FloatProperty(
        name="Roughness",
        description="Relief of the crack faces, over the size of a cell",
        default=DEFAULTS.roughness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
