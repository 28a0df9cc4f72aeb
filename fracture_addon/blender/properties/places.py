"""What an object does to the things that break around it, and what is placed and painted for one that breaks."""

from __future__ import annotations

import bpy

from ...core.data.job import Settings
from ...core.data.places import CleavingPlane, Region
from .overridable import EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

DEFAULTS = Settings()

PLACE_ITEMS = (
    ("NONE", "Nothing", "It changes no strength"),
    ("PLANE", "Cleaving Plane", "Things come apart along it: an empty's local XY plane, or a flat mesh"),
    ("REGION", "Region", "Things are different within a sphere: an empty's display size, or around a mesh"),
    ("LAYERS", "Layers", "Strength rises and falls along its local Z axis, as in a pot built of one coil"),
    ("GRAIN", "Grain", "The grain runs along its local Z axis there, and turns from one such place to the next"),
)
POINT_ITEMS = (
    ("BLUE_NOISE", "Even", "Irregular points at even distances from one another: cells of like size"),
    ("UNIFORM", "Random", "Points that know nothing of one another: large and small cells side by side"),
)


def _paintable(group, _context, _text) -> list[str]:
    """Names of what can be painted on an object."""
    obj = group.id_data
    colors = [] if obj.type != "MESH" else [item.name for item in obj.data.color_attributes]
    return [*(item.name for item in obj.vertex_groups), *colors]


def paint(name: str, what: str):
    """The name of a vertex group, colour attribute or value on the mesh."""
    return StringProperty(
        name=name,
        description=f"Vertex group or colour attribute that says where {what}; felt inside from the nearest surface",
        search=_paintable,
    )


def factor(name: str, description: str, default: float = 1.0, soft_min: float = 0.01, soft_max: float = 10.0):
    """What something is multiplied by."""
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


def distance(name: str, description: str, default: float = 0.0, soft_max: float = 1.0):
    """A length in the scene's unit."""
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


class PlaceProperties:
    """Of an object's settings, what it does to those that break."""

    place: EnumProperty(
        name="Acts As", description="What this object does to the strength of things that break", items=PLACE_ITEMS
    )
    place_strength: factor(
        "Strength",
        "Strength there over the strength around it: below 1 weaker, above 1 stronger. Of layers, in the weak ones",
        CleavingPlane.factor,
    )
    place_width: distance("Width", "How thick the plane is; 0 for the one layer of cells that it passes")
    place_reach: distance(
        "Reach",
        "How far the plane goes from its middle; 0 for all the way with an empty, and as far as the mesh with a mesh",
    )
    place_softness: FloatProperty(
        name="Softness",
        description="Share of the radius over which the region fades out: 0 for a sharp edge",
        default=Region.softness,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    place_density: factor(
        "Density", "Density there over the density around it; the mass of the whole stays as it is. With Network"
    )
    place_fineness: factor(
        "Fineness",
        "How many times smaller the cells are there, 0.25 to 4; the object's detail stays as it is",
        soft_min=0.25,
        soft_max=4.0,
    )
    place_period: distance("Period", "From one weak layer to the next", 0.05)


class PlacedProperties:
    """Of an object's settings, what is placed and painted for it when it breaks."""

    places: PointerProperty(
        name="Places",
        description="Only cleaving planes, regions and layers in this collection count; without one, all of the scene",
        type=bpy.types.Collection,
    )
    strength_paint: paint("Strength", "it is weaker or stronger")
    strength_paint_factor: factor("Strength Factor", "Strength where the paint is full over where there is none", 0.1)
    density_paint: paint("Density", "it is lighter or heavier")
    density_paint_factor: factor("Density Factor", "Density where the paint is full over where there is none", 3.0)
    fineness_paint: paint("Fineness", "its cells are finer or coarser")
    fineness_paint_factor: factor(
        "Fineness Factor",
        "How many times smaller cells are where the paint is full, 0.25 to 4; the detail stays as it is",
        2.0,
        soft_min=0.25,
        soft_max=4.0,
    )
    interior_points: EnumProperty(
        name="Points", description="How the points between which the cells lie are spread inside", items=POINT_ITEMS
    )
    wall_layers: IntProperty(
        name="Wall Layers",
        description="Cells through walls that are thinner than the cells are wide; 0 is what suits the method: "
        "two for a lattice, else one",
        default=DEFAULTS.wall_layers,
        min=0,
        max=3,
    )
    impact_fineness: FloatProperty(
        name="Finer at Blows",
        description="How many times smaller the cells are around the place where the object is struck; "
        "the detail stays as it is. Collisions are tried out with the unbroken object first",
        default=DEFAULTS.impact_fineness,
        min=1.0,
        max=4.0,
        precision=2,
        step=10,
    )
    impact_reach: FloatProperty(
        name="Reach",
        description="How far the finer cells go from where the object is struck, over its diagonal",
        default=DEFAULTS.impact_reach,
        min=0.01,
        max=1.0,
        subtype="FACTOR",
    )
