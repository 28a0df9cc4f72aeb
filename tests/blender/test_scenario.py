"""Models opened upright, and set up to be dropped, hit or struck."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.command_line import command, import_model
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import placing, presets, scenario, viewport
from fracture_addon.core.data.surface import volume
from fracture_addon.core.geometry.inspection import inspect
from tests import shapes
from tests.papers.obrien_scenes import TABLE

EXPORTERS = {
    ".obj": lambda path: bpy.ops.wm.obj_export(filepath=path),
    ".ply": lambda path: bpy.ops.wm.ply_export(filepath=path),
    ".stl": lambda path: bpy.ops.wm.stl_export(filepath=path),
    ".glb": lambda path: bpy.ops.export_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.export_scene.gltf(filepath=path, export_format="GLTF_SEPARATE"),
}


@pytest.fixture
def pole(scene):
    """A cuboid that stands on the floor, 2 m tall, 1 m wide and 0.5 m deep."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 1.0))
    bpy.context.object.scale = (1.0, 0.5, 2.0)
    bpy.context.view_layer.update()
    scene.frame_start, scene.frame_end = 1, 20
    return bpy.context.object


def only(name):
    return bpy.data.objects[name]


@pytest.mark.parametrize("suffix", EXPORTERS)
def test_every_kind_of_model_stands_upright(pole, tmp_path, suffix):
    path = tmp_path / f"pole{suffix}"
    EXPORTERS[suffix](str(path))
    objects = import_model.open_input(path)
    assert np.ptp(placing.bounds(objects), axis=0) == pytest.approx([1.0, 0.5, 2.0], abs=1e-5)
    import_model.scale_to(objects, 0.5)
    low, high = placing.bounds(objects)
    assert low == pytest.approx([-0.125, -0.0625, 0.0], abs=1e-6)
    assert high == pytest.approx([0.125, 0.0625, 0.5], abs=1e-6)


def test_the_shipped_jar_stands(scene, jar):
    objects = import_model.open_input(shapes.MESHES / "old_jar" / "old_jar.obj")
    import_model.scale_to(objects, shapes.HEIGHTS["old_jar"])
    job = read_job(bpy.context, objects, (1, 2))
    points = job.bodies[0].surface.points
    assert np.ptp(points, axis=0) == pytest.approx(np.ptp(jar.points, axis=0), rel=1e-5)
    # Its belly is wider than its foot, and the foot is below.
    assert len(points) == len(jar.points)
    middle = points[:, 2].mean() - points[:, 2].min()
    assert middle == pytest.approx(jar.points[:, 2].mean() - jar.points[:, 2].min(), rel=1e-4)


def test_several_objects_move_together(scene, pole):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(2.0, 0.0, 0.5))
    both = [pole, bpy.context.object]
    import_model.scale_to(both, 1.0)
    assert only("Cube.001").matrix_world.translation.x - pole.matrix_world.translation.x == pytest.approx(1.0)


def test_a_drop_is_from_its_height_and_tilted_by_the_seed(pole, scene):
    scenario.drop(bpy.context, [pole], 1.5, 4)
    tilt = pole.matrix_world.to_3x3().normalized().col[2].z
    assert np.cos(np.radians(25.0)) - 1e-6 <= tilt <= np.cos(np.radians(10.0)) + 1e-6
    floor = only("Floor")
    assert floor.rigid_body.type == "PASSIVE"
    low = placing.bounds([pole])[0, 2]
    assert low - floor.matrix_world.translation.z == pytest.approx(1.5, abs=1e-5)
    job = read_job(bpy.context, [pole], (1, 3))
    assert [collider.shape for collider in job.colliders] == ["mesh"]
    assert not job.bodies[0].velocity.any()


def test_another_seed_tilts_otherwise(pole):
    before = pole.matrix_world.copy()
    scenario.drop(bpy.context, [pole], 1.0, 1)
    first = pole.matrix_world.copy()
    pole.matrix_world = before
    bpy.context.view_layer.update()
    scenario.drop(bpy.context, [pole], 1.0, 2)
    assert first != pole.matrix_world


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, -2, 0), (1, 1, -0.5)])
def test_a_ball_flies_at_the_middle(pole, scene, direction):
    scenario.ball(bpy.context, [pole], direction, 10.0)
    job = read_job(bpy.context, [pole], (1, 3))
    ball = next(item for item in job.colliders if item.mass > 0.0)
    assert ball.shape == "sphere"
    radius = 0.5 * np.ptp(ball.surface.points, axis=0).max()
    assert ball.mass == pytest.approx(7850.0 * 4.0 / 3.0 * np.pi * radius**3, rel=1e-2)
    start, middle = ball.surface.points.mean(axis=0), np.array([0.0, 0.0, 1.0])
    way = np.linalg.norm(middle - start)
    heading = np.array(direction) / np.linalg.norm(direction)
    assert (middle - start) / way == pytest.approx(heading, abs=1e-4)
    seconds = way / 10.0
    arrival = start + ball.velocity * seconds + 0.5 * job.gravity * seconds**2
    assert arrival == pytest.approx(middle, abs=1e-3)


def test_a_ball_for_a_flat_thing_does_not_touch_the_floor(pole, scene):
    pole.scale = (1.0, 1.0, 0.02)
    pole.location.z = 0.01
    bpy.context.view_layer.update()
    scenario.ball(bpy.context, [pole], (1, 0, 0), 5.0)
    low = placing.bounds([only("Ball")])[0, 2]
    assert low > only("Floor").matrix_world.translation.z


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_an_impact_falls_on_the_side_that_faces_it(pole, scene, direction):
    scenario.impact(bpy.context, [pole], direction)
    (impact,) = read_job(bpy.context, [pole], (1, 10)).bodies[0].impacts
    assert impact.direction == pytest.approx(direction, abs=1e-6)
    assert impact.point == pytest.approx(np.array([0, 0, 1]) - np.array(direction) * [0.5, 0.25, 1.0], abs=1e-5)
    assert impact.frame > 1


def test_an_impact_through_the_hole_of_a_ring_still_meets_it(scene):
    bpy.ops.mesh.primitive_torus_add(major_radius=1.0, minor_radius=0.2)
    ring = bpy.context.object
    scenario.impact(bpy.context, [ring], (0, 0, -1))
    point = ring.fracture.impact_object.matrix_world.translation
    assert np.hypot(np.hypot(point.x, point.y) - 1.0, point.z) == pytest.approx(0.2, abs=0.02)


def test_drop_lifts_what_is_selected_above_one_floor(pole):
    for height in (1.0, 0.5):
        assert bpy.ops.fracture.drop(height=height) == {"FINISHED"}
        floors = [obj for obj in bpy.data.objects if scenario.FLOOR in obj]
        assert len(floors) == 1
        assert floors[0].rigid_body.type == "PASSIVE"
        assert placing.bounds([pole])[0, 2] == pytest.approx(floors[0].location.z + height, abs=1e-5)
    assert settings.chosen(bpy.context.selected_objects) == [pole]


def test_lengths_of_the_buttons_are_in_the_scenes_unit(pole, scene):
    scene.unit_settings.scale_length = 0.01
    bpy.ops.fracture.drop(height=30.0)
    assert placing.bounds([pole])[0, 2] == pytest.approx(30.0, abs=1e-4)


def test_a_thrown_ball_flies_at_what_is_selected(pole, scene):
    assert bpy.ops.fracture.throw_ball(speed=5.0, direction=(0.0, 1.0, 0.0)) == {"FINISHED"}
    job = read_job(bpy.context, [pole], (1, 20))
    assert {collider.name for collider in job.colliders} == {"Ball", "Floor"}
    flying = next(collider for collider in job.colliders if collider.mass > 0.0)
    assert flying.velocity[1] == pytest.approx(5.0, rel=1e-3)


@pytest.mark.parametrize("operator", ["drop", "throw_ball"])
def test_what_cannot_be_set_up_is_one_error(scene, operator):
    with pytest.raises(RuntimeError, match="poll"):
        getattr(bpy.ops.fracture, operator)()
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.data.clear_geometry()
    with pytest.raises(RuntimeError, match="Cube"):
        getattr(bpy.ops.fracture, operator)()
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]


SCENES = sorted(presets.shipped_folder(presets.SCENES).glob("*.py"))
# Presets that have another name than the row of the table.
PRESETS = {"glass": "glass_slab"}


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_has_what_breaks_and_what_breaks_it(scene, path):
    assert bpy.ops.fracture.add_scene(filepath=str(path)) == {"FINISHED"}
    objects = settings.chosen(settings.selection(bpy.context))
    job = read_job(bpy.context, objects, settings.frame_range(bpy.context.scene))
    assert job.colliders or job.winds
    whose = path.stem.split("_")[0]
    methods = {"obrien": {"fem"}, "jar": {"network", "lattice"}, "jelly": {"network", "fem"}}
    methods["awning"] = {"network", "lattice"}
    methods |= {
        name: {"network"}
        for name in ("brick", "bursting", "wall", "felled", "stone", "window", "door", "floor", "hot", "sung", "smith")
    }
    assert bool(job.glues) == (path.stem in ("norton_cup", "norton_teapot", "sweeney_swing"))
    assert bool(job.bonds) == (whose in ("awning", "brick", "wall", "window"))
    assert bool(job.pressures) == (whose == "bursting")
    assert bool(job.thermal_shocks) == (whose == "hot")
    assert {body.settings.method for body in job.bodies} == methods.get(whose, {"lattice"})
    for body in job.bodies:
        assert inspect(body.surface).clean or body.settings.repair.repair
    assert all(obj.data.materials for obj in scene.objects if obj.name.startswith("Floor"))


@pytest.mark.parametrize("row", TABLE)
def test_scenes_of_the_table_have_its_material(scene, row):
    printed = TABLE[row]
    (path,) = [path for path in SCENES if path.stem == f"obrien_{PRESETS.get(row, row)}"]
    objects = presets.build(bpy.context, path)
    # The letters of figure 14 have two materials; the first is that of the table.
    first = objects[0].fracture.material_name if row != "the_end" else "Plaster of the paper"
    for obj in (item for item in objects if item.fracture.material_name == first):
        material = settings.material_of(obj)
        assert material.density == printed.density
        assert material.shear_modulus == pytest.approx(printed.rigidity, rel=2e-3)
        assert material.first_lame == pytest.approx(printed.dilation, rel=1e-2)
        assert material.dilation_damping == pytest.approx(printed.dilation_damping, rel=1e-6)
        assert material.rigidity_damping == pytest.approx(printed.rigidity_damping, rel=1e-6)
        surface = read_job(bpy.context, [obj], (1, 9)).bodies[0].surface
        size = np.cbrt(6.0 * np.sqrt(2.0) * volume(surface) / obj.fracture.resolution)
        assert material.tensile_strength * size**2 == pytest.approx(printed.toughness, rel=0.1)


def test_a_scene_that_cannot_be_built_leaves_nothing(scene, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import bpy\nbpy.ops.mesh.primitive_cube_add()\nbpy.context.object.fracture.method = 'NONE'\n")
    with pytest.raises(RuntimeError, match="cannot be built"):
        bpy.ops.fracture.add_scene(filepath=str(path))
    assert not bpy.data.objects


@pytest.mark.parametrize("words", [[], ["some.obj", "--scene", "obrien_tray"], ["--scene", "no_such"]])
def test_a_scene_or_a_file_and_no_other(registered, words, capsys, tmp_path):
    assert command.main([*words, "--output", str(tmp_path / "out.blend")]) == 2
    assert "scene" in capsys.readouterr().err


def test_the_speed_of_the_ball_is_shown_as_a_speed(registered):
    assert bpy.ops.fracture.throw_ball.get_rna_type().properties["speed"].unit == "VELOCITY"


def test_the_letters_are_text_objects_in_two_materials(scene):
    """Figure 14."""
    (path,) = [path for path in SCENES if path.stem == "obrien_the_end"]
    objects = presets.build(bpy.context, path)
    assert sorted(obj.data.body for obj in objects) == sorted("TheEnd")
    assert {obj.type for obj in objects} == {"FONT"}
    assert len({obj.fracture.material_name for obj in objects}) == 2


class View:
    """A view along Y with a field of view of 90 degrees; its matrix follows its place only with ``update``."""

    def __init__(self):
        self.view_location, self.view_distance = Vector((0.0, 0.0, 0.0)), 4.0
        self.update()

    def update(self):
        """Project points to x and z over the depth."""
        x, y, z = self.view_location
        self.perspective_matrix = np.array(
            [(1.0, 0.0, 0.0, -x), (0.0, 0.0, 1.0, -z), (0.0, 1.0, 0.0, -y), (0.0, 1.0, 0.0, self.view_distance - y)]
        )


def test_the_view_moves_back_until_it_shows_what_was_lifted(cube, scene):
    scenario.drop(bpy.context, [cube], 12.0, seed=0)
    corners = scenario.corners_of_fall(bpy.context, [cube])
    low, high = placing.bounds([cube])
    assert corners.min(axis=0) == pytest.approx([*low[:2], scenario.floor_of(scene).location.z])
    assert corners.max(axis=0) == pytest.approx(high)
    view = View()
    assert not viewport.sees(view.perspective_matrix, corners, right=0.5)
    viewport.move_back(view, corners, right=0.5)
    assert viewport.sees(view.perspective_matrix, corners, right=0.5)
    assert 6.0 < view.view_distance < 16.0
    assert view.view_location.z == pytest.approx(corners[:, 2].mean())


def test_a_view_that_shows_what_was_lifted_stays():
    view = View()
    viewport.move_back(view, np.array([(0.0, 0.0, -1.0), (0.0, 0.0, 2.0)]), right=1.0)
    assert (view.view_distance, view.view_location.z) == (4.0, 0.0)
    assert not viewport.sees(view.perspective_matrix, np.array([(0.0, -5.0, 0.0)]), right=1.0)  # behind the viewer
    assert not viewport.sees(view.perspective_matrix, np.array([(3.0, 0.0, 0.0)]), right=0.5)  # below the sidebar


def test_the_floor_keeps_no_distance(pole):
    """Blender's default of 4 cm would lift what rests on it."""
    bpy.ops.fracture.drop()
    (floor,) = [obj for obj in bpy.data.objects if scenario.FLOOR in obj]
    assert floor.rigid_body.use_margin
    assert floor.rigid_body.collision_margin == 0.0
