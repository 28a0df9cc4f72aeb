import bpy
import numpy as np
import pytest

from fracture_addon.blender.properties import FractureObjectSettings, FractureSceneSettings
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.methods.network.crack_growth import PAPER_FUNCTIONS
from fracture_addon.core.methods.table import METHODS


def test_an_untouched_object_has_the_defaults_of_the_core(cube):
    assert arrays.digest(settings.settings_of(cube)) == arrays.digest(Settings())
    assert settings.material_of(cube) == PORCELAIN


@pytest.mark.parametrize(
    ("shown", "stored", "unit"),
    [
        ("young_modulus_gpa", "young_modulus", 1e9),
        ("tensile_strength_mpa", "tensile_strength", 1e6),
        ("compressive_strength_mpa", "compressive_strength", 1e6),
        ("toughness_mpa", "toughness", 1e6),
    ],
)
def test_shown_units_are_the_stored_value(cube, shown, stored, unit):
    setattr(cube.fracture, shown, 12.5)
    assert getattr(cube.fracture, stored) == pytest.approx(12.5 * unit)
    assert getattr(settings.material_of(cube), stored) == 12.5 * unit
    setattr(cube.fracture, stored, 3.0 * unit)
    assert getattr(cube.fracture, shown) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("method", METHODS),
        ("crack_function", {"lobe", *PAPER_FUNCTIONS}),
    ],
)
def test_the_panel_offers_what_the_core_knows(registered, name, known):
    offered = {item.identifier.lower() for item in FractureObjectSettings.bl_rna.properties[name].enum_items}
    assert offered == set(known)


@pytest.mark.parametrize("group", [FractureObjectSettings, FractureSceneSettings])
def test_every_property_says_what_it_is(registered, group):
    for item in group.bl_rna.properties:
        if item.identifier not in ("rna_type", "name"):
            assert item.name, item.identifier
            assert len(item.description) > 10, item.identifier


@pytest.mark.parametrize(
    ("name", "value"),
    [("density", -5.0), ("young_modulus", 0.0), ("poisson_ratio", 0.7), ("tensile_strength", float("nan"))],
)
def test_a_nonsense_material_is_refused_with_its_object_and_value(cube, name, value):
    setattr(cube.fracture, name, value)
    with pytest.raises(SettingsError, match=rf"'Cube'.*{name}.*set it between") as caught:
        settings.material_of(cube)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_default_grain_runs_along_the_longest_axis(cube, scene, axis):
    cube.scale[axis] = 3.0
    cube.rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    (body,) = read_job(bpy.context, [cube], (1, 3)).bodies
    expected = cube.matrix_world.to_3x3().col[axis].normalized()
    assert abs(np.dot(body.settings.strength.grain, expected)) == pytest.approx(1.0, abs=1e-5)
    cube.fracture.grain = (1.0, 0.0, 0.0)
    assert read_job(bpy.context, [cube], (1, 3)).bodies[0].settings.strength.grain == pytest.approx([1.0, 0.0, 0.0])


def test_the_grain_is_a_unit_vector(cube):
    cube.fracture.grain = (3.0, 0.0, 4.0)
    np.testing.assert_allclose(settings.settings_of(cube).strength.grain, (0.6, 0.0, 0.8), atol=1e-7)


def test_frames_come_from_the_scene_or_from_the_panel(scene):
    scene.frame_start, scene.frame_end = 5, 50
    assert settings.frame_range(scene) == (5, 50)
    scene.fracture.use_scene_range = False
    scene.fracture.frame_start, scene.fracture.frame_end = 2, 20
    assert settings.frame_range(scene) == (2, 20)


@pytest.mark.parametrize("end", [3, 1])
def test_a_frame_range_of_zero_is_refused(scene, end):
    scene.fracture.use_scene_range = False
    scene.fracture.frame_start, scene.fracture.frame_end = 3, end
    with pytest.raises(SettingsError, match=f"3 to {end}"):
        settings.frame_range(scene)
