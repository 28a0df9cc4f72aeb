"""What an artist places and paints, read from the scene."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.core.data.errors import FractureError, SceneError, SettingsError
from fracture_addon.core.fields.painting import factors_at
from fracture_addon.core.fields.prior_stress import prior_stress


def read(obj):
    return read_job(bpy.context, [obj], (1, 5)).bodies[0].settings


def empty(scene, kind, name="Place", collection=None, **where):
    obj = bpy.data.objects.new(name, None)
    (collection or scene.collection).objects.link(obj)
    for key, value in where.items():
        setattr(obj, key, value)
    obj.fracture.place = kind
    bpy.context.view_layer.update()
    return obj


def weigh(cube, name="Paint"):
    """A vertex group that is full at the top of the cube, half at the bottom's one corner."""
    group = cube.vertex_groups.new(name=name)
    group.add([row for row, vertex in enumerate(cube.data.vertices) if vertex.co.z > 0.0], 1.0, "REPLACE")
    return group


def test_a_plane_is_an_empties_xy_plane_in_metres(cube, scene):
    scene.unit_settings.scale_length = 0.1
    place = empty(scene, "PLANE", location=(0.2, 0.0, 0.5), rotation_euler=(0.0, np.pi / 2, 0.0), scale=(3, 1, 2))
    place.fracture.place_strength, place.fracture.place_width = 0.05, 0.4
    (plane,) = read(cube).strength.planes
    assert plane.point == pytest.approx([0.02, 0.0, 0.05])
    assert plane.normal == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert (plane.factor, plane.width, plane.reach) == (0.05, pytest.approx(0.04), np.inf)
    place.fracture.place_reach = 0.5
    assert read(cube).strength.planes[0].reach == pytest.approx(0.05)


def test_a_flat_mesh_is_a_plane_as_far_as_it_goes(cube, scene):
    bpy.ops.mesh.primitive_plane_add(size=2.0, location=(0.3, 0.0, 0.0), rotation=(np.pi / 2, 0.0, 0.0))
    mesh = bpy.context.object
    bpy.ops.object.transform_apply(location=False)
    mesh.fracture.place = "PLANE"
    (plane,) = read(cube).strength.planes
    assert plane.point == pytest.approx([0.3, 0.0, 0.0], abs=1e-6)
    assert np.abs(plane.normal) == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert plane.reach == pytest.approx(np.sqrt(2.0))
    assert settings.chosen([cube, mesh]) == [cube]


def test_a_region_is_as_large_as_its_empty_is_drawn(cube, scene):
    place = empty(scene, "REGION", location=(0, 0, 1), empty_display_size=0.5, scale=(0.2, 0.2, 0.2))
    group = place.fracture
    group.place_strength, group.place_density, group.place_fineness, group.place_softness = 5.0, 2.0, 3.0, 0.25
    group.place_stress = -12.0
    (region,) = read(cube).strength.regions
    assert region.center == pytest.approx([0, 0, 1])
    assert region.radius == pytest.approx(0.1)
    assert (region.strength, region.density, region.fineness, region.softness) == (5.0, 2.0, 3.0, 0.25)
    assert region.stress == -12e6
    assert [region.fineness for region in read(cube).filling.fineness_regions] == [3.0]


def test_a_meshs_region_is_around_it(cube, scene):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 1, 0))
    bpy.context.object.fracture.place = "REGION"
    (region,) = read(cube).strength.regions
    assert region.center == pytest.approx([0, 1, 0], abs=1e-6)
    assert region.radius == pytest.approx(0.3, rel=1e-4)


def test_layers_lie_across_an_empties_z_axis(cube, scene):
    place = empty(scene, "LAYERS", location=(0.0, 0.03, 2.0), rotation_euler=(-np.pi / 2, 0.0, 0.0), scale=(2, 2, 2))
    place.fracture.place_period, place.fracture.place_strength = 0.02, 0.4
    (layers,) = read(cube).strength.alternations
    assert layers.axis == pytest.approx([0, 1, 0], abs=1e-6)
    assert (layers.period, layers.factor) == (0.02, 0.4)
    assert layers.offset == pytest.approx(0.03, abs=1e-6)


def test_the_grain_runs_along_an_empties_z_axis(cube, scene):
    empty(scene, "GRAIN", location=(0.0, 0.03, 2.0), rotation_euler=(-np.pi / 2, 0.0, 0.0), scale=(2, 2, 2))
    (grain,) = read(cube).strength.grains
    assert grain.point == pytest.approx([0, 0.03, 2.0], abs=1e-6)
    assert grain.direction == pytest.approx([0, 1, 0], abs=1e-6)


def test_places_are_where_they_are_on_the_first_frame(cube, scene):
    place = empty(scene, "PLANE")
    for frame, x in ((1, 0.5), (5, 2.0)):
        place.location.x = x
        place.keyframe_insert("location", frame=frame)
    scene.frame_set(5)
    assert read(cube).strength.planes[0].point == pytest.approx([0.5, 0.0, 0.0])
    assert scene.frame_current == 5


def test_a_collection_says_which_places_count(cube, scene):
    mine = bpy.data.collections.new("Mine")
    scene.collection.children.link(mine)
    empty(scene, "PLANE", "Inside", mine, location=(1, 0, 0))
    empty(scene, "PLANE", "Outside", location=(2, 0, 0))
    assert [plane.point[0] for plane in read(cube).strength.planes] == [1.0, 2.0]
    cube.fracture.places = mine
    assert [plane.point[0] for plane in read(cube).strength.planes] == [1.0]


def test_a_place_that_is_switched_off_does_nothing(cube, scene):
    empty(scene, "PLANE").hide_viewport = True
    empty(scene, "NONE", "Other")
    assert read(cube).strength.planes == ()


@pytest.mark.parametrize("what", ["strength", "density", "fineness"])
def test_vertex_groups_are_paint(cube, scene, what):
    weigh(cube)
    setattr(cube.fracture, f"{what}_paint", "Paint")
    setattr(cube.fracture, f"{what}_paint_factor", 3.0)
    group = read(cube).filling if what == "fineness" else read(cube).strength
    field = getattr(group, f"painted_{what}")
    assert field.factor == 3.0
    assert factors_at(field, np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.4]])) == pytest.approx([3.0, 1.0])


def test_paint_gives_prior_stress(cube, scene):
    weigh(cube)
    cube.fracture.stress_paint, cube.fracture.prior_stress_mpa = "Paint", 8.0
    found = prior_stress(np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.4]]), read(cube))
    assert found == pytest.approx([8e6, 0.0], rel=1e-6)


def test_colours_are_paint_by_their_brightness(cube, scene):
    colors = cube.data.color_attributes.new("Tint", "FLOAT_COLOR", "CORNER")
    for item in colors.data:
        item.color = (0.0, 1.0, 0.0, 1.0)
    cube.fracture.strength_paint = "Tint"
    assert read(cube).strength.painted_strength.weights == pytest.approx(0.7152)


def squashed(cube, scene):
    empty(scene, "PLANE", scale=(1, 1, 0))


def thick(cube, scene):
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.fracture.place = "PLANE"


def without_period(cube, scene):
    empty(scene, "LAYERS").fracture.place_period = 0.0


def unknown_paint(cube, scene):
    cube.fracture.strength_paint = "Nowhere"


def blank_paint(cube, scene):
    cube.vertex_groups.new(name="Blank")
    cube.fracture.strength_paint = "Blank"


@pytest.mark.parametrize(
    ("prepare", "kind", "message"),
    [
        (squashed, SceneError, "'Place' acts on 'Cube', but its scale is zero"),
        (thick, SceneError, "'Cube.001' .* is not flat; use"),
        (without_period, SettingsError, "'Place': .*period is 0 m; make"),
        (unknown_paint, SettingsError, "'Cube': .*'Nowhere' does not exist; choose"),
        (blank_paint, SettingsError, "'Cube': .*'Blank' is empty; paint"),
    ],
)
def test_senseless_places_are_named_with_their_remedy(cube, scene, prepare, kind, message):
    prepare(cube, scene)
    with pytest.raises(FractureError, match=message) as caught:
        read(cube)
    assert caught.type is kind


@pytest.mark.parametrize("kind", ["PLANE", "REGION", "LAYERS", "GRAIN"])
def test_a_button_adds_a_place(cube, scene, kind):
    scene.cursor.location = (0.0, 0.0, 0.55)
    assert bpy.ops.fracture.add_place(kind=kind) == {"FINISHED"}
    assert bpy.context.object == cube
    found = read(cube).strength
    fields = {"PLANE": found.planes, "REGION": found.regions, "LAYERS": found.alternations, "GRAIN": found.grains}
    assert {name: len(items) for name, items in fields.items()} == {**dict.fromkeys(fields, 0), kind: 1}
