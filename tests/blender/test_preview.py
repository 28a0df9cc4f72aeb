"""The cells of an object, shown and taken away again."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.process import run
from fracture_addon.blender.read import settings
from fracture_addon.blender.scene import result_lookup
from tests.blender.snapshot import snapshot


@pytest.fixture
def vase(cube, scene):
    """A small, coarse, turned and squeezed cube, selected."""
    cube.name = "Vase"
    cube.fracture.resolution = 300
    cube.rotation_euler, cube.scale = (0.3, 0.2, 0.1), (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    return cube


def world_points(obj):
    bpy.context.view_layer.update()
    return np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])


def test_a_preview_shows_the_cells_where_the_object_is(vase):
    before = snapshot()
    assert bpy.ops.fracture.preview() == {"FINISHED"}
    preview = result_lookup.preview_of(vase)
    assert preview.name == "Vase Preview"
    mesh = preview.data
    strength = mesh.attributes["fracture_strength"]
    assert strength.domain == "FACE"
    assert len(mesh.polygons) == len(strength.data) == 4 * (mesh.attributes["fracture_cell"].data[-1].value + 1)
    own, shown = world_points(vase), world_points(preview)
    size = np.ptp(own, axis=0)
    assert (np.abs(shown.min(axis=0) - own.min(axis=0)) < 0.1 * size).all()
    assert (np.abs(shown.max(axis=0) - own.max(axis=0)) < 0.1 * size).all()
    assert run.message.text == f"{len(mesh.polygons) // 4:,} cells"
    bpy.ops.fracture.clear()
    assert snapshot() == before


def test_a_second_preview_replaces_the_first(vase):
    bpy.ops.fracture.preview()
    coarse = len(result_lookup.preview_of(vase).data.polygons)
    vase.fracture.resolution = 900
    bpy.ops.fracture.preview()
    assert [obj.name for obj in bpy.data.objects if result_lookup.MARK in obj] == ["Vase Preview"]
    assert len(result_lookup.preview_of(vase).data.polygons) > 2 * coarse
    assert len(bpy.data.meshes) == 2


def test_a_preview_is_nothing_to_break_but_stands_for_its_object(vase):
    bpy.ops.fracture.preview()
    preview = result_lookup.preview_of(vase)
    assert settings.chosen([preview]) == []
    bpy.ops.object.select_all(action="DESELECT")
    preview.select_set(True)
    bpy.context.view_layer.objects.active = preview
    assert bpy.ops.fracture.clear() == {"FINISHED"}
    assert result_lookup.preview_of(vase) is None


def test_shatter_takes_the_preview_away(struck):
    bpy.ops.fracture.preview()
    assert result_lookup.preview_of(struck) is not None
    bpy.ops.fracture.shatter()
    assert result_lookup.preview_of(struck) is None


def test_an_open_mesh_is_refused_where_repair_is_off(vase):
    vase.fracture.repair = False
    vase.data.clear_geometry()
    vase.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 1)], [], [(0, 1, 2)])
    with pytest.raises(RuntimeError, match="Vase"):
        bpy.ops.fracture.preview()
    assert result_lookup.preview_of(vase) is None
    assert run.active is None


def test_nothing_is_shown_of_a_cancelled_preview(vase):
    running = run.begin(bpy.context, [vase], "preview")
    bpy.ops.fracture.cancel()
    assert running.process.pid is None
    assert result_lookup.preview_of(vase) is None
