"""The asset library: its catalogs, materials that stand for their presets, and scenes that break."""

import bpy
import pytest

from fracture_addon.blender.command_line import assets, exit_codes
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import material_guess, presets

PRESETS = sorted(path.stem for path in presets.shipped_folder().glob("*.py"))
# A scene with joints, and one with a wind and glued objects.
SCENES = ("brick_wall", "sweeney_swing")


@pytest.fixture(scope="module")
def library(tmp_path_factory, registered):
    """A library with all materials and two scenes."""
    folder = tmp_path_factory.mktemp("library")
    all_scenes = assets.scene_files
    assets.scene_files = lambda: [path for path in all_scenes() if path.stem in SCENES]
    try:
        assert assets.main([str(folder / "made")]) == exit_codes.DONE
    finally:
        assets.scene_files = all_scenes
    return folder / "made"


def append(path, group: str):
    with bpy.data.libraries.load(str(path), assets_only=True) as (found, wanted):
        setattr(wanted, group, getattr(found, group))
    return getattr(wanted, group)


def test_each_asset_is_in_a_catalog_of_the_file(library, scene):
    lines = (library / assets.CATALOGS_FILE).read_text().splitlines()
    known = dict(line.split(":")[:2] for line in lines if line.count(":") == 2)
    assert "VERSION 1" in lines
    assert sorted(known.values()) == [assets.MATERIALS, assets.SCENES]
    for material in append(library / assets.MATERIALS_FILE, "materials"):
        assert known[material.asset_data.catalog_id] == assets.MATERIALS
    for name in SCENES:
        (collection,) = append(library / f"{name}.blend", "collections")
        assert known[collection.asset_data.catalog_id] == assets.SCENES
        assert collection.name == presets.scene_name(str(presets.find(name, presets.SCENES)))


def test_each_preset_has_a_material_that_stands_for_it(library, cube):
    found = set()
    for material in append(library / assets.MATERIALS_FILE, "materials"):
        cube.data.materials.clear()
        cube.data.materials.append(material)
        found.add(material_guess.guess(cube))
    assert found == set(PRESETS)


@pytest.mark.parametrize("name", SCENES)
def test_an_appended_scene_has_what_breaks_and_what_breaks_it(library, scene, name):
    (collection,) = append(library / f"{name}.blend", "collections")
    scene.collection.children.link(collection)
    objects = settings.chosen(collection.all_objects)
    job = read_job(bpy.context, objects, (1, 10))
    assert len(job.bodies) == len(objects) > 1
    assert job.colliders or job.winds
    assert bool(job.bonds) == (name == "brick_wall")


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, registered, capsys):
    (tmp_path / "file").write_text("")
    assert assets.main([str(tmp_path / "file" / "library")]) == exit_codes.FAILED
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "cannot be written" in said
