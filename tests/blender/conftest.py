"""Blender as a module, with the extension registered from the checkout, and a scene of one's own a test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import compiled_code

# Before bpy is imported: the tests leave the user's own Blender folder alone, and keep compiled kernels between runs.
RESOURCES = Path(__file__).resolve().parents[2] / ".cache" / f"blender-{sys.version_info.major}{sys.version_info.minor}"
RESOURCES.mkdir(parents=True, exist_ok=True)
os.environ["BLENDER_USER_RESOURCES"] = str(RESOURCES)

bpy = pytest.importorskip("bpy")


def pytest_pyfunc_call() -> None:
    """Let the worker of the last test take the next job: its environment would differ in the name of the test."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)


pytest_fixture_setup = pytest_pyfunc_call


@pytest.fixture(scope="session", autouse=True)
def shared_code():
    """Workers and Blender's side use the code that other tests compiled, and the other way round."""
    from fracture_addon.blender.process import user_cache

    compiled_code.share(user_cache.find().folder)


@pytest.fixture(scope="session")
def registered():
    """The extension, registered once; an installed one is registered by Blender."""
    from fracture_addon.blender import extension, registration

    if extension.package():
        yield registration
        return
    registration.register()
    yield registration
    registration.unregister()


@pytest.fixture
def scene(registered):
    """An empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


@pytest.fixture
def cube(scene):
    """The active and only object: a cube with edges of 0.2 m."""
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 0.5))
    return bpy.context.object


@pytest.fixture
def struck(cube, scene):
    """A small, coarse cube with an impact from above on its first frame, on a scene of a few frames."""
    scene.frame_start, scene.frame_end = 1, 4
    cube.fracture.resolution = 300
    scene.cursor.location = (0.02, 0.01, 0.7)
    bpy.ops.fracture.add_impact()
    cube.fracture.impact_frame = 2
    cube.fracture.impact_strength = 8.0
    return cube


@pytest.fixture
def glazed(cube, scene):
    """A cube that carries everything a mesh can carry, in a collection of its own, on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 12
    props = bpy.data.collections.new("Props")
    scene.collection.children.link(props)
    scene.collection.objects.unlink(cube)
    props.objects.link(cube)
    cube.data.materials.append(bpy.data.materials.new("Glaze"))
    mesh = cube.data
    color = mesh.color_attributes.new("Tint", "BYTE_COLOR", "CORNER")
    color.data.foreach_set("color", np.tile([1.0, 0.0, 0.0, 1.0], len(mesh.loops)))
    heat = mesh.attributes.new("heat", "FLOAT", "POINT")
    heat.data.foreach_set("value", [vertex.co.z for vertex in mesh.vertices])
    corner = mesh.attributes.new("corner", "INT", "CORNER")
    corner.data.foreach_set("value", np.arange(len(mesh.loops)) + 2**24)
    high = mesh.attributes.new("high", "BOOLEAN", "POINT")
    high.data.foreach_set("value", [vertex.co.z > 0.0 for vertex in mesh.vertices])
    part = mesh.attributes.new("part", "INT", "FACE")
    part.data.foreach_set("value", range(len(mesh.polygons)))
    cube.vertex_groups.new(name="Top").add([v.index for v in mesh.vertices if v.co.z > 0], 0.75, "REPLACE")
    mesh.shade_smooth()
    return cube
