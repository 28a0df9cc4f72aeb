"""Settings by name and text: every plain control of the panel, and nothing else."""

import bpy
import pytest

from fracture_addon.blender.command_line import command
from fracture_addon.blender.read.settings import material_of, settings_of
from fracture_addon.blender.setup import named_settings
from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.settings.settings import Settings, all_rows


def given(scene, obj, *texts):
    named_settings.give(scene, obj, [named_settings.read(text) for text in texts])


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("crack_growth=0.25", "crack_growth", 0.25),
        ("chips = 1", "chips", 1.0),
        ("wall_layers=2", "wall_layers", 2),
        ("relief=splintered", "relief", "splintered"),
        ("crack_function=MODERATE_AS_PRINTED", "crack_function", "moderate_as_printed"),
        ("self_collision=on", "self_collision", True),
        ("repair=False", "repair", False),
        ("tempering_mpa=100", "tempering", 1e8),
        ("impact_reach=0.01", "impact_reach", 0.01),
        ("resolution=100", "cell_count", 100),
    ],
)
def test_a_setting_comes_through_to_the_core(scene, cube, text, field, value):
    given(scene, cube, text)
    assert arrays.digest(settings_of(cube)) == arrays.digest(Settings.of(**{field: value}))


def test_every_plain_setting_of_the_core_can_be_set(scene, cube):
    for name, (row, default) in all_rows().items():
        given(scene, cube, f"{row.property or name}={default}")
    assert arrays.digest(settings_of(cube)) == arrays.digest(Settings())


def test_the_last_one_holds(scene, cube):
    given(scene, cube, "seed=1", "seed=2")
    assert cube.fracture.seed == 2


def test_materials_vectors_names_and_scenes_have_settings_too(scene, cube):
    given(scene, cube, "density=910", "grain=0,3,4", "pin_group=Top", "substeps=25")
    assert material_of(cube).density == 910.0
    assert settings_of(cube).strength.grain == pytest.approx([0.0, 0.6, 0.8])
    assert (cube.fracture.pin_group, scene.fracture.substeps) == ("Top", 25)


def test_lengths_are_in_metres(scene, cube):
    scene.unit_settings.scale_length = 0.01
    given(scene, cube, "wall_thickness=0.003")
    assert cube.fracture.wall_thickness == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("violence", "'violence' has no value; write it like violence=2"),
        ("viol=2", "there is no setting 'viol'; did you mean violence? --list-settings lists all settings"),
        ("zzz=2", "there is no setting 'zzz'; --list-settings lists all settings"),
        ("interior_material=Red", "there is no setting 'interior_material'"),
        ("name=Jar", "there is no setting 'name'"),
        ("chips=2", "chips: '2' is out of range; choose at least 0, at most 1"),
        ("violence=-1", "violence: '-1' is out of range; choose at least 0"),
        ("noise=nan", "noise: 'nan' is out of range"),
        ("noise=much", "noise: 'much' is not a number"),
        ("seed=1.5", "seed: '1.5' is not a whole number"),
        ("held=maybe", "held: 'maybe' is neither on nor off"),
        ("dust=fly", "dust: 'fly' is unknown; choose from merge, drop, debris"),
        ("grain=1,2", "grain has 2 values; write 3 numbers"),
    ],
)
def test_what_cannot_be_set_is_refused_with_what_can(registered, text, said):
    with pytest.raises(SettingsError) as caught:
        named_settings.read(text)
    assert str(caught.value).startswith(said)


def test_the_list_has_every_name_with_its_value_and_description(scene):
    text = named_settings.listing(scene)
    for part in ("\nviolence=1\n", "\nrelief=smooth\n", "toughness_mpa=1.1\n", "\ngrain=0,0,0\n", "\nsubsteps=10\n"):
        assert part in text
    assert "smooth, conchoidal, granular, stony, splintered. Look of the crack faces" in text
    assert "at least 0, in metres. Thickness of the wall" in text
    assert not bpy.data.objects


def test_the_command_lists_them_and_ends(scene, capfd):
    assert command.main(["--list-settings"]) == 0
    assert "\nviolence=1\n" in capfd.readouterr().out
    assert command.main(["jar.obj", "--set", "viol=2"]) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "did you mean violence?" in error


def test_toughness_has_no_effect_on_thin_bodies_that_deform(cube):
    cube.fracture.method, cube.fracture.dynamics = "LATTICE", "DEFORMABLE"
    chosen = [named_settings.read("toughness=2")]
    assert named_settings.unused([cube], chosen) == []
    cube.fracture.structure = "SHELL"
    (text,) = named_settings.unused([cube], chosen)
    assert text == "'Cube': toughness has no effect here: not deformable ropes, sheets and shells"
    cube.fracture.dynamics = "RIGID"
    assert named_settings.unused([cube], chosen) == []


def test_a_setting_without_effect_gives_a_warning(cube):
    chosen = [named_settings.read(text) for text in ("creep=3", "crack_growth=0.5", "noise=0.1")]
    cube.fracture.method = "NETWORK"
    assert named_settings.unused([cube], chosen) == ["'Cube': creep has no effect here: only deformable lattices"]
    cube.fracture.method = "LATTICE"
    assert [text.split()[1] for text in named_settings.unused([cube], chosen)] == ["creep", "crack_growth"]
