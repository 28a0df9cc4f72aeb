"""Blender properties from rows of the table of settings."""

from dataclasses import dataclass

import bpy
import pytest

from fracture_addon.blender.properties.generated import properties
from fracture_addon.blender.setup import named_settings
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.settings.setting import Group, setting


@dataclass(frozen=True)
class Toy(Group):
    """A group that no other module knows."""

    speed: float = setting(2.0, "Speed", "Speed of the toy", low=0.0, soft=(None, 9.0), unit="m/s", precision=1)
    length: float = setting(0.5, "Length", "Length of the toy", low=0.0, high=4.0, unit="m")
    share: float = setting(0.25, "Share", "Share of the toy", low=0.0, high=1.0, unit="fraction")
    force: float = setting(
        3e6,
        "Force",
        "Force, in N",
        unit="N",
        scaled=("MN", 1e6),
        scaled_description="In MN",
        scaled_soft_high=9.0,
    )
    count: int = setting(30, "Count", "Number of toys", low=1, panel_low=20, high=90, property="toys")
    loud: bool = setting(True, "Loud", "Whether the toy is loud")
    kind: str = setting("car", "Kind", "Kind of toy", choices=(("ball", "Ball", "Rolls"), ("car", "Car", "Drives")))


@pytest.fixture
def toy(scene):
    """A property group with the toy's settings, on the scene."""
    group = type("FractureToy", (properties(Toy), bpy.types.PropertyGroup), {})
    bpy.utils.register_class(group)
    bpy.types.Scene.fracture_toy = bpy.props.PointerProperty(type=group)
    yield scene.fracture_toy
    del bpy.types.Scene.fracture_toy
    bpy.utils.unregister_class(group)


def test_a_row_of_a_group_is_all_that_a_property_needs(toy):
    assert (toy.speed, toy.length, toy.share, toy.toys, toy.loud, toy.kind) == (2.0, 0.5, 0.25, 30, True, "CAR")
    found = toy.bl_rna.properties
    assert (found["speed"].name, found["speed"].description) == ("Speed (m/s)", "Speed of the toy")
    assert (found["speed"].hard_min, found["speed"].soft_max, found["speed"].precision) == (0.0, 9.0, 1)
    assert (found["length"].name, found["length"].unit, found["length"].hard_max) == ("Length", "LENGTH", 4.0)
    assert found["share"].subtype == "FACTOR"
    assert (found["toys"].hard_min, found["toys"].hard_max) == (20, 90)
    assert [(item.identifier, item.name, item.description) for item in found["kind"].enum_items] == [
        ("BALL", "Ball", "Rolls"),
        ("CAR", "Car", "Drives"),
    ]
    assert all(item.is_overridable for name, item in found.items() if name not in ("rna_type", "name"))


def test_a_scaled_property_shows_the_stored_value(toy):
    assert toy.force_mn == pytest.approx(3.0)
    toy.force_mn = 7.0
    assert toy.force == pytest.approx(7e6)
    assert (toy.bl_rna.properties["force_mn"].name, toy.bl_rna.properties["force"].name) == ("Force (MN)", "Force (N)")


def test_the_command_line_reads_a_row_with_its_limits(toy):
    found = toy.bl_rna.properties
    assert named_settings.KINDS["INT"](found["toys"], "40") == 40
    assert named_settings.KINDS["ENUM"](found["kind"], "ball") == "BALL"
    with pytest.raises(SettingsError, match="toys: '19' is out of range; choose at least 20, at most 90"):
        named_settings.KINDS["INT"](found["toys"], "19")
