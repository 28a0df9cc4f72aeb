import bpy
import pytest

from fracture_addon.blender import extension
from fracture_addon.blender.read import settings
from fracture_addon.blender.setup import presets
from fracture_addon.core.data.errors import SettingsError

SHIPPED = sorted((extension.ROOT / "presets" / presets.SUBFOLDER).glob("*.py"))
ASKED_FOR = {
    "soda_lime_glass",
    "tempered_glass",
    "porcelain",
    "terracotta",
    "plaster",
    "concrete_C30",
    "brick",
    "sandstone",
    "marble",
    "granite",
    "ice",
    "wood_pine",
    "chocolate_dark_20C",
    "plaster_board",
    "plywood",
    "frozen_ground",
    "bone",
    "eggshell",
    "sugar_glass",
    "cast_iron_grey",
    "laminated_glass",
    "reinforced_concrete",
}


def test_the_materials_that_artists_ask_for_are_there():
    missing = ASKED_FOR - {path.stem for path in SHIPPED}
    assert not missing


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_preset_sets_every_value_and_says_where_it_comes_from(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for name in presets.STORED:
        (row,) = [row for row, line in enumerate(lines) if line.startswith(f"fracture.{name} = ")]
        assert name == "material_name" or lines[row - 1].startswith("# "), name


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_preset_makes_sense(cube, path):
    assert bpy.ops.fracture.apply_preset(filepath=str(path)) == {"FINISHED"}
    material = settings.material_of(cube)
    assert material.name == presets.display_name(path.name)
    assert material.tensile_strength < material.compressive_strength
    assert 1e-5 < material.material_length < 1.0


def test_tempered_glass_is_annealed_glass_with_a_prestress_which_the_next_preset_removes(cube):
    found = {}
    for name in ("soda_lime_glass", "tempered_glass", "porcelain"):
        bpy.ops.fracture.apply_preset(filepath=str(presets.find(name)))
        found[name] = settings.material_of(cube).tensile_strength, cube.fracture.tempering
    assert found["tempered_glass"] == (found["soda_lime_glass"][0], 100e6)
    assert found["soda_lime_glass"][1] == found["porcelain"][1] == 0.0


def test_a_preset_goes_to_all_selected_objects_but_not_to_colliders(cube):
    bpy.ops.mesh.primitive_plane_add()
    floor = bpy.context.object
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.ops.mesh.primitive_cube_add()
    other = bpy.context.object
    for obj in (cube, floor, other):
        obj.select_set(True)
    bpy.ops.fracture.apply_preset(filepath=str(presets.find("granite")))
    assert [obj.fracture.material_name for obj in (cube, other, floor)] == ["Granite", "Granite", "Porcelain"]


@pytest.mark.parametrize(
    "text",
    [
        "fracture.density = -5.0",
        "fracture.young_modulus = float('nan')",
        "fracture.toughness = 'hard'",
        "fracture.density = 1.0 / 0.0",
        "fracture.no_such_setting.at_all = 1",
        "fracture.density =",
        "density = nowhere",
    ],
)
def test_a_preset_that_makes_no_sense_is_one_line_and_changes_nothing(cube, tmp_path, text):
    path = tmp_path / "bad_one.py"
    path.write_text(f"import bpy\nfracture = bpy.context.object.fracture\nfracture.friction = 0.25\n{text}\n")
    before = {name: getattr(cube.fracture, name) for name in presets.STORED}
    with pytest.raises(SettingsError, match="bad_one") as caught:
        presets.apply(bpy.context, cube, path)
    assert "\n" not in str(caught.value)
    assert {name: getattr(cube.fracture, name) for name in presets.STORED} == before
    with pytest.raises(RuntimeError, match="bad_one"):
        bpy.ops.fracture.apply_preset(filepath=str(path))


@pytest.mark.parametrize("name", ["soda_lime_glass", "Soda lime glass", "soda_lime_glass.py", "SODA_LIME_GLASS"])
def test_a_preset_is_found_by_its_file_and_by_its_name(registered, name):
    assert presets.find(name) == presets.shipped_folder() / "soda_lime_glass.py"


def test_an_unknown_preset_is_not_found(registered):
    assert presets.find("unobtainium") is None


def test_a_preset_of_ones_own_is_kept_found_applied_and_removed(cube):
    cube.fracture.density = 1234.0
    assert bpy.ops.fracture.material_preset(name="My clay 7") == {"FINISHED"}
    try:
        path = presets.find("My clay 7")
        assert presets.shipped_folder() not in path.parents
        assert cube.fracture.material_name == "My clay 7"
        bpy.ops.fracture.apply_preset(filepath=str(presets.find("ice")))
        bpy.ops.fracture.apply_preset(filepath=str(path))
        assert settings.material_of(cube).density == 1234.0
        assert cube.fracture.material_name == "My clay 7"
    finally:
        assert bpy.ops.fracture.material_preset(name="My clay 7", remove_name=True) == {"FINISHED"}
    assert presets.find("My clay 7") is None


def test_shipped_presets_cannot_be_removed(cube):
    assert bpy.ops.fracture.material_preset(name="Ice", remove_name=True) == {"CANCELLED"}
    assert presets.find("ice").is_file()


def test_each_scene_has_a_name_for_the_menu_that_says_what_happens():
    paths = sorted(presets.shipped_folder(presets.SCENES).glob("*.py"))
    names = [presets.scene_name(str(path)) for path in paths]
    assert "Sheet with Grain Hit by a Ball (O'Brien 2000)" in names
    assert len(set(names)) == len(names) == len(paths)
    assert not set(names) & {presets.display_name(path.name) for path in paths}


def test_a_scene_without_a_name_has_that_of_its_file(tmp_path):
    path = tmp_path / "my_scene.py"
    path.write_text("import bpy\n")
    assert presets.scene_name(str(path)) == "My scene"
    assert presets.scene_name(str(tmp_path / "missing_one.py")) == "Missing one"
