"""The settings that an object and a scene carry, as the artist sees them.

Values are stored in SI units under the names that ``core`` uses. Moduli and strengths have a second property in
giga- or megapascals, which only shows the first: Blender has no unit of pressure, and 70000000000 is no number to read.
Hard limits are few on purpose: a preset with a nonsense value must be refused by ``core.material``, not clamped.
"""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..core.job import Job, Settings
from ..core.material import PORCELAIN

DEFAULTS = Settings()
SCENE_DEFAULTS = Job(())

METHOD_ITEMS = (
    (
        "NETWORK",
        "Network",
        "A network of rigid cells and the bonds between them. Breaks stiff, brittle things in one instant: "
        "glass, ceramics, stone",
    ),
)
BOND_ITEMS = (
    ("FULL", "Full", "Bonds over the whole face between two cells, which carry force and moment: real shards"),
    (
        "POINT",
        "Point",
        "Point masses and distance constraints only, as first published. For comparison: it mostly makes crumbs",
    ),
)
DUST_ITEMS = (
    ("MERGE", "Merge", "Crumbs stay a part of the neighbour with which they share the most"),
    ("DROP", "Drop", "Crumbs vanish when they break off, and their volume with them"),
)


def scaled(stored: str, unit: float, name: str, description: str, soft_max: float):
    """A property that shows ``stored`` in multiples of ``unit``; it keeps nothing of its own."""

    def read(group):
        return getattr(group, stored) / unit

    def write(group, value):
        setattr(group, stored, value * unit)

    return FloatProperty(
        name=name,
        description=description,
        get=read,
        set=write,
        soft_min=0.0,
        soft_max=soft_max,
        precision=2,
        options={"SKIP_SAVE"},
    )


def _is_empty(_group, candidate: bpy.types.Object) -> bool:
    return candidate.type == "EMPTY"


class FractureObjectSettings(bpy.types.PropertyGroup):
    """How an object breaks, and what it is made of."""

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
        min=100,
        max=500_000,
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

    material_name: StringProperty(
        name="Material", description="Name of the material, as messages call it", default=PORCELAIN.name
    )
    density: FloatProperty(
        name="Density (kg/m³)",
        description="Mass of a cubic metre, in kilograms",
        default=PORCELAIN.density,
        soft_min=100.0,
        soft_max=10_000.0,
        precision=0,
        step=1000,
    )
    young_modulus: FloatProperty(
        name="Young's Modulus (Pa)",
        description="Stiffness: stress over strain, in pascals",
        default=PORCELAIN.young_modulus,
    )
    young_modulus_gpa: scaled(
        "young_modulus", 1e9, "Young's Modulus (GPa)", "Stiffness: stress over strain, in gigapascals", 200.0
    )
    poisson_ratio: FloatProperty(
        name="Poisson's Ratio",
        description="How much it narrows sideways when stretched, over how much it stretches: 0 to below 0.5",
        default=PORCELAIN.poisson_ratio,
        soft_min=0.0,
        soft_max=0.45,
        precision=2,
        step=1,
    )
    tensile_strength: FloatProperty(
        name="Tensile Strength (Pa)",
        description="Pull that breaks it, in pascals; across the grain where there is one",
        default=PORCELAIN.tensile_strength,
    )
    tensile_strength_mpa: scaled(
        "tensile_strength",
        1e6,
        "Tensile Strength (MPa)",
        "Pull that breaks it, in megapascals; across the grain where there is one",
        200.0,
    )
    compressive_strength: FloatProperty(
        name="Compressive Strength (Pa)",
        description="Pressure that crushes it, in pascals",
        default=PORCELAIN.compressive_strength,
    )
    compressive_strength_mpa: scaled(
        "compressive_strength", 1e6, "Compressive Strength (MPa)", "Pressure that crushes it, in megapascals", 1000.0
    )
    toughness: FloatProperty(
        name="Toughness (Pa √m)",
        description="Critical stress intensity, in pascal square-root metres",
        default=PORCELAIN.toughness,
    )
    toughness_mpa: scaled(
        "toughness",
        1e6,
        "Toughness (MPa √m)",
        "How hard it is for a crack to go on: the critical stress intensity, in megapascal square-root metres",
        10.0,
    )
    strength_variation: FloatProperty(
        name="Strength Variation",
        description="Spread of the strength from place to place over its mean; 0 for uniform. "
        "About 1.2 over the Weibull modulus",
        default=PORCELAIN.strength_variation,
        soft_min=0.0,
        soft_max=0.5,
        precision=2,
        step=1,
    )
    grain_strength_ratio: FloatProperty(
        name="Grain Strength Ratio",
        description="Strength along the grain over strength across it; 1 for no grain",
        default=PORCELAIN.grain_strength_ratio,
        soft_min=1.0,
        soft_max=50.0,
        precision=1,
    )
    grain: FloatVectorProperty(
        name="Grain",
        description="Direction along which a grained material is strong, in world axes on the first frame",
        default=tuple(DEFAULTS.grain),
        subtype="XYZ",
        size=3,
    )
    friction: FloatProperty(
        name="Friction",
        description="Coulomb coefficient of the object and its pieces",
        default=PORCELAIN.friction,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    restitution: FloatProperty(
        name="Bounciness",
        description="Speed after a bounce over speed before: 0 to 1",
        default=PORCELAIN.restitution,
        soft_min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )

    impact_enabled: BoolProperty(
        name="Impact", description="Strike the object on a frame you choose; that needs no collision", default=False
    )
    impact_object: PointerProperty(
        name="Where",
        description="An empty: it strikes where it stands, along its own Z axis",
        type=bpy.types.Object,
        poll=_is_empty,
    )
    impact_frame: IntProperty(name="Frame", description="Frame on which the blow falls", default=1)
    impact_strength: FloatProperty(
        name="Strength",
        description="Load of the blow over the load that would just break the object there: 1 makes the first crack",
        default=4.0,
        min=0.0,
        soft_max=50.0,
        precision=1,
    )
    impact_radius: FloatProperty(
        name="Radius",
        description="Radius of the patch that is struck; 0 for one that suits the cells",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        subtype="DISTANCE",
        unit="LENGTH",
    )

    bonds: EnumProperty(name="Bonds", description="What holds two cells together", items=BOND_ITEMS)
    load_steps: IntProperty(
        name="Load Steps",
        description="Steps in which the load of an impact rises and falls",
        default=DEFAULTS.load_steps,
        min=1,
        soft_max=100,
    )
    crack_growth: FloatProperty(
        name="Crack Growth",
        description="How far a break weakens what is around it, so that cracks run on instead of starting anew",
        default=DEFAULTS.crack_growth,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    noise: FloatProperty(
        name="Noise",
        description="Turbulence in the strength: its amplitude over the strength",
        default=DEFAULTS.noise,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    noise_size: FloatProperty(
        name="Noise Size",
        description="Wavelength of the turbulence over the object's diagonal",
        default=DEFAULTS.noise_size,
        min=0.001,
        max=10.0,
        soft_min=0.02,
        soft_max=1.0,
        precision=2,
        step=1,
    )
    roughness: FloatProperty(
        name="Roughness",
        description="Relief of the crack faces, over the size of a cell",
        default=DEFAULTS.roughness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )

    piece_count: IntProperty(
        name="Pieces",
        description="Pieces wanted from the first break, dust apart; 0 leaves that to the violence",
        default=DEFAULTS.piece_count,
        min=0,
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
    break_depth: IntProperty(
        name="Break Again",
        description="How many times over pieces may break: 1 breaks the object only",
        default=DEFAULTS.break_depth,
        min=1,
        soft_max=5,
    )
    held: BoolProperty(
        name="Held",
        description="The object stays where it is, against gravity and blows, until it breaks",
        default=False,
    )
    repair: BoolProperty(
        name="Repair",
        description="Close and clean a mesh that is open or passes through itself, instead of refusing it. "
        "The report says what was done",
        default=DEFAULTS.repair,
    )


class FractureSceneSettings(bpy.types.PropertyGroup):
    """Which frames are simulated, and how finely."""

    use_scene_range: BoolProperty(name="Scene Frames", description="Simulate the scene's own frame range", default=True)
    frame_start: IntProperty(name="Start", description="First frame to simulate", default=SCENE_DEFAULTS.frame_start)
    frame_end: IntProperty(name="End", description="Last frame to simulate", default=SCENE_DEFAULTS.frame_end)
    substeps: IntProperty(
        name="Substeps",
        description="Steps of the motion a frame. More keep fast, small pieces from passing through things",
        default=SCENE_DEFAULTS.substeps,
        min=1,
        soft_max=60,
        max=1000,
    )
    cache_path: StringProperty(
        name="Keep In",
        description="Folder in which the last run is kept, so that it can be baked again without computing; "
        "nothing is kept when empty",
        subtype="DIR_PATH",
    )


CLASSES = (FractureObjectSettings, FractureSceneSettings)


def register():
    """Hang the groups on objects and scenes."""
    bpy.types.Object.fracture = PointerProperty(name="Fracture", type=FractureObjectSettings)
    bpy.types.Scene.fracture = PointerProperty(name="Fracture", type=FractureSceneSettings)


def unregister():
    """Take them off; what the file already stores stays in it."""
    del bpy.types.Object.fracture
    del bpy.types.Scene.fracture
