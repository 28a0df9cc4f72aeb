"""Settings for strength, density, stress and cell size that vary within an object: places, paint and finer cells."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.placed_fields import CleavingPlane, Region
from .overridable import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

PLACE_ITEMS = (
    ("NONE", "Nothing", "No effect on other objects"),
    ("PLANE", "Cleaving Plane", "Objects split along the local XY plane of an empty, or along a flat mesh"),
    (
        "SHEET",
        "Drawn Crack",
        "Objects split along the faces of this mesh, of any shape, as along a line of Draw Crack",
    ),
    (
        "REGION",
        "Region",
        "Objects have another strength, density, stress or cell size inside a sphere: the sphere of an empty, "
        "or the sphere around a mesh",
    ),
    ("LAYERS", "Layers", "Strength rises and falls along the local Z axis, as in a coiled pot or plywood"),
    (
        "GRAIN",
        "Grain",
        "The grain follows the local Z axis here. Between several such objects its direction changes gradually",
    ),
    (
        "BLAST",
        "Blast",
        "An explosion on a chosen frame: its pressure breaks and throws all rigid objects that it reaches",
    ),
    (
        "PRESSURE",
        "Pressure",
        "Gas under pressure in the hollow rigid object around this one, on a chosen frame: it bursts the object and "
        "throws the pieces",
    ),
    (
        "GRIP",
        "Grip",
        "A hand or a clamp that holds the part of an object within its sphere and moves it by its own keyframes. Two "
        "grips pull, twist or bend an object until it breaks, and each half follows its grip",
    ),
    (
        "SOUND",
        "Sound",
        "A loudspeaker or a singer with a steady tone. If it has the own frequency of a rigid object in its sight, the "
        "object vibrates more and more until it breaks, like a wine glass",
    ),
    (
        "RELEASE",
        "Release",
        "Lets go of what it reaches of objects with Hold in Place and Activation One by One, whole or in pieces: the "
        "sphere of an empty, or the shape of a mesh. It moves and grows by its keyframes",
    ),
    (
        "FREEZE",
        "Freeze",
        "Stops the rigid objects and pieces that it reaches in their motion and holds them where they are, up to the "
        "frame Let Go: the sphere of an empty, or the shape of a mesh. It moves and grows by its keyframes",
    ),
    (
        "THERMAL",
        "Thermal Shock",
        "Hot or cold fluid that touches rigid objects from a chosen frame on and breaks them by the temperature: the "
        "sphere of an empty, or the closed shape of a mesh, as water around a hot glass or boiling water in a cold one",
    ),
)
# Names of the kinds, as a message writes them.
PLACE_NAMES = {item[0]: item[1].lower() for item in PLACE_ITEMS}


def _paintable(group: Any, _context: bpy.types.Context, _text: str) -> list[str]:
    """Return the names of the vertex groups and colour attributes of an object."""
    obj = group.id_data
    colors = [] if obj.type != "MESH" else [item.name for item in obj.data.color_attributes]
    return [*(item.name for item in obj.vertex_groups), *colors]


def paint(name: str, effect: str) -> Any:
    """Create a property that names a vertex group, colour attribute or value of the mesh."""
    return StringProperty(
        name=name,
        description=f"Vertex group or colour attribute (its brightness) that {effect}. "
        "Points inside the object use the nearest point of the surface",
        search=_paintable,
    )


def factor(name: str, description: str, default: float = 1.0, soft_min: float = 0.01, soft_max: float = 10.0) -> Any:
    """Create a property for a positive multiplier."""
    return FloatProperty(
        name=name,
        description=description,
        default=default,
        min=0.001,
        max=1000.0,
        soft_min=soft_min,
        soft_max=soft_max,
        precision=3,
        step=1,
    )


def distance(name: str, description: str, default: float = 0.0, soft_max: float = 1.0) -> Any:
    """Create a property for a length in scene units."""
    return FloatProperty(
        name=name,
        description=description,
        default=default,
        min=0.0,
        soft_max=soft_max,
        subtype="DISTANCE",
        unit="LENGTH",
        precision=3,
    )


# Places that may be an empty.
EMPTY_ITEMS = tuple(item for item in PLACE_ITEMS[1:] if item[0] != "SHEET")


class PlaceProperties:
    """Settings of an object that changes the strength of others, or loads them."""

    place: EnumProperty(name="Acts As", description="What this object does to breaking objects", items=PLACE_ITEMS)
    place_strength: factor(
        "Strength",
        "Multiplies the strength here. Below 1 is weaker, above 1 stronger. "
        "With Layers, it multiplies the strength of the weak layers and divides that of the strong ones",
        CleavingPlane.factor,
    )
    place_width: distance(
        "Width",
        "Thickness of the plane. 0 affects only the layer of cells that the plane cuts. Raise it for a thick seam",
    )
    place_reach: distance(
        "Plane Radius",
        "Radius of the plane. 0: the plane of an empty is infinite, that of a mesh is as large as the mesh. "
        "Set it for a crack or a seam in a part of the object",
    )
    place_softness: FloatProperty(
        name="Softness",
        description="Fraction of the radius over which the region fades out. 0 for a sharp boundary",
        default=Region.softness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    place_density: factor(
        "Density", "Multiplies the density here. The total mass stays the same. Only for the method Network"
    )
    place_stress: FloatProperty(
        name="Prior Stress (MPa)",
        description="Stress without a load, in MPa, where the surroundings do not give way. Above 0, the place pulls "
        "and breaks early, like clay that dried fast; below 0 it presses, and its surroundings pull. "
        "Only for the methods Network and Finite Elements",
        default=Region.stress,
        min=-1000.0,
        max=1000.0,
        soft_min=-100.0,
        soft_max=100.0,
        precision=2,
        step=100,
    )
    place_fineness: factor(
        "Fineness",
        "How many times smaller the cells are here, 0.25 to 4. The total number of cells stays the same. "
        "Raise it for finer cracks",
        soft_min=0.25,
        soft_max=4.0,
    )
    place_period: distance("Period", "Distance from one weak layer to the next", 0.05)
    place_charge: FloatProperty(
        name="Charge",
        description="TNT equivalent: mass of TNT with the energy of the blast; 1 kg releases 4.184 MJ. "
        "Eight times the charge acts twice as far",
        default=0.1,
        min=1e-6,
        soft_max=100.0,
        unit="MASS",
        precision=4,
    )
    place_pressure: FloatProperty(
        name="Pressure (Pa)",
        description="Gauge pressure, in Pa: pressure inside the object above that of the air outside. "
        "A bottle of champagne has about 600,000 Pa",
        default=1e6,
        min=1.0,
        soft_max=1e8,
        precision=0,
        step=1000,
    )
    place_stiffness: FloatProperty(
        name="Stiffness (N/m)",
        description="Force of a grip on a rigid object, in newtons, for each metre that the object does not follow its "
        "motion. Raise it to break the object after a shorter motion",
        default=1e5,
        min=1.0,
        soft_max=1e9,
        precision=0,
        step=1000,
    )
    place_temperature: FloatProperty(
        name="Temperature Difference (K)",
        description="Temperature of the fluid minus that of the objects, in K. Below 0 the fluid is colder, as water "
        "around a hot glass. With Relative, only the sign counts",
        default=-100.0,
        min=-5000.0,
        max=5000.0,
        soft_min=-500.0,
        soft_max=500.0,
        precision=1,
        step=100,
    )
    place_heat_transfer: FloatProperty(
        name="Heat Transfer (W/m²K)",
        description="Heat that flows into the surface, in W/(m² K): about 500 in still water, 5,000 in water that the "
        "object falls into or that boils on it, 100 in a jet of air. Raise it for a harder shock",
        default=5000.0,
        min=1.0,
        max=1e6,
        soft_min=10.0,
        soft_max=1e5,
        precision=0,
        step=10_000,
    )
    place_waits: BoolProperty(
        name="Wait for Heat",
        description="Break the object when heat has spread so far that the stress reaches the strength: a thin glass "
        "within a second, a thick mug later, and sooner the stronger the shock. Turn it off to break it on Frame",
        default=True,
    )
    place_release: IntProperty(
        name="Let Go",
        description="Last frame on which the grip or the freeze holds, or the sound lasts. 0 goes on to the end",
        default=0,
        min=0,
    )
    place_frequency: FloatProperty(
        name="Frequency (Hz)",
        description="Frequency of the tone. 0: the own frequency at which each object rings. A frequency within 5 % of "
        "an own frequency counts as tuned to it. The report names the one that is used",
        default=0.0,
        min=0.0,
        soft_max=5000.0,
        precision=0,
        step=1000,
    )
    place_level: FloatProperty(
        name="Level (dB)",
        description="Sound pressure level at a distance of 1 m: 60 dB for speech, 105 dB for a singer, 140 dB for a "
        "large loudspeaker. 20 dB more are ten times the pressure, and so is a tenth of the distance",
        default=140.0,
        min=0.0,
        max=194.0,
        soft_min=60.0,
        soft_max=160.0,
        precision=0,
        step=100,
    )
    place_frame: IntProperty(name="Frame", description="Frame on which the load acts or the freeze begins", default=1)
    place_relative: BoolProperty(
        name="Relative",
        description="Set the load as a multiple of the one that first breaks something, instead of in kg, Pa, K, "
        "N/m or dB. The report says which charge, pressure, temperature, stiffness or level that is. With grips, the "
        "largest load of the shot is this multiple; with sounds, that after a long time",
        default=False,
    )
    place_load_factor: FloatProperty(
        name="Load Factor",
        description="Load as a multiple of the one that first breaks an object. Below 1 nothing breaks. Raise it for "
        "more and faster pieces",
        default=2.0,
        min=0.01,
        max=1e6,
        soft_max=10.0,
    )


class PlacedProperties:
    """Settings of a breaking object for places, paint and cell sizes."""

    places: PointerProperty(
        name="Only Fields In",
        description="Collection of planes, drawn cracks, regions, layers and grain objects. Only those in it change "
        "this object; if empty, all of them in the scene do. Choose one if objects need different fields",
        type=bpy.types.Collection,
    )
    strength_paint: paint("Strength", "makes the object weaker or stronger")
    strength_paint_factor: factor(
        "Strength Factor", "Strength at full paint, as a multiple of the strength without paint. Below 1 is weaker", 0.1
    )
    second_strength_paint: paint("Second Strength", "makes the object weaker or stronger, besides Strength")
    second_strength_paint_factor: factor(
        "Second Strength Factor",
        "Strength at full paint, as a multiple of the strength without paint. Above 1 is stronger",
        5.0,
    )
    density_paint: paint("Density", "makes the object lighter or heavier")
    density_paint_factor: factor(
        "Density Factor",
        "Density at full paint, as a multiple of the density without paint. The total mass stays the same",
        3.0,
    )
    stress_paint: paint("Prior Stress", "gives the object stress without a load")
    fineness_paint: paint("Fineness", "makes the cells finer or coarser")
    fineness_paint_factor: factor(
        "Fineness Factor",
        "How many times smaller the cells are at full paint, 0.25 to 4. The total number of cells stays the same",
        2.0,
        soft_min=0.25,
        soft_max=4.0,
    )
