"""The motion that bodies, colliders and projectiles start with, and how long keys carry them."""

import bpy
import numpy as np
import pytest

from tests.blender.reading import add, collider, job_of, move, switch


def test_an_animated_wall_moves(cube, scene):
    wall = add("cube", location=(3, 0, 0))
    move(wall, {1: (3, 0, 0), 5: (1, 0, 0)})
    wall.rotation_euler = (0, 0, 0)
    track = collider(job_of(cube)).track
    assert track[:, 0] == pytest.approx([3.0, 2.5, 2.0, 1.5, 1.0])
    assert np.allclose(track[:, 3:], [1, 0, 0, 0])


def test_a_wall_on_a_turning_parent_turns(cube, scene):
    wall = add("cube", kind="ACTIVE", location=(2, 0, 0))
    wall.rigid_body.kinematic = True
    hinge = bpy.data.objects.new("Hinge", None)
    scene.collection.objects.link(hinge)
    wall.parent = hinge
    move(hinge, {1: (0, 0, 0), 5: (0, 0, np.pi)}, "rotation_euler")
    body = collider(job_of(cube))
    assert body.mass == 0.0
    assert body.track[2, :3] == pytest.approx([0.0, 2.0, 0.0], abs=1e-5)
    assert body.track[2, 3:] == pytest.approx([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], abs=1e-5)


def test_a_wall_whose_constraint_never_moves_it_stands_still(cube, scene):
    wall = add("cube", location=(3, 0, 0))
    wall.constraints.new("LIMIT_LOCATION")
    assert collider(job_of(cube)).track is None


def test_a_projectile_at_rest(cube, scene):
    ball = add("uv_sphere", kind="ACTIVE", shape="SPHERE", location=(0, 0, 3))
    ball.rigid_body.mass = 2.5
    found = collider(job_of(cube))
    assert (found.mass, found.track) == (2.5, None)
    assert not found.velocity.any()


@pytest.mark.parametrize("frames", [(-3, 1), (0, 1), (1, 5)])
def test_a_projectile_is_thrown_by_its_keys(cube, scene, frames):
    """Whether they lead up to the first frame or start on it."""
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    start, end = frames
    move(ball, {start: (0, 0, 3), end: (end - start, 0, 3)})
    found = collider(job_of(cube))
    assert found.velocity == pytest.approx([24.0, 0.0, 0.0], abs=1e-3)
    assert found.surface.points.mean(axis=0)[0] == pytest.approx(end - start if end == 1 else 0.0, abs=1e-5)


def test_a_body_spins_as_its_keys_do(cube, scene):
    move(cube, {-1: (0, 0, 0), 1: (0, 0, 0.5)}, "rotation_euler")
    body = job_of(cube).bodies[0]
    assert body.angular_velocity == pytest.approx([0.0, 0.0, 6.0], abs=1e-3)
    assert body.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-5)


def test_a_projectile_is_carried_until_blender_lets_it_go(cube, scene):
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    move(ball, {1: (0, 0, 3), 5: (4, 0, 3)})
    switch(ball.rigid_body, "kinematic", {1: True, 4: False})
    found = collider(job_of(cube))
    assert found.mass == 1.0
    assert found.track[:, 0] == pytest.approx([0.0, 1.0, 2.0], abs=1e-6)


@pytest.mark.parametrize("frame", [-2, 1, 2])
def test_a_projectile_let_go_by_the_second_frame_is_thrown(cube, scene, frame):
    ball = add("uv_sphere", kind="ACTIVE", location=(0, 0, 3))
    move(ball, {1: (0, 0, 3), 5: (4, 0, 3)})
    switch(ball.rigid_body, "kinematic", {-3: True, frame: False})
    found = collider(job_of(cube))
    assert (found.mass, found.track) == (1.0, None)
    assert found.velocity == pytest.approx([24.0, 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize("way", ["setting", "animated"])
def test_a_held_body_is_let_go_by_a_key(cube, scene, way):
    move(cube, {1: (0, 0, 0), 5: (1, 0, 0)})
    if way == "setting":
        switch(cube, "fracture.held", {1: True, 4: False})
    else:
        bpy.ops.rigidbody.object_add(type="ACTIVE")
        switch(cube.rigid_body, "kinematic", {1: True, 4: False})
    assert job_of(cube).bodies[0].track[:, 0] == pytest.approx([0.0, 0.25, 0.5])


def test_a_body_held_still_and_let_go_keeps_every_frame_of_it(cube, scene):
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    switch(cube.rigid_body, "kinematic", {1: True, 4: False})
    track = job_of(cube).bodies[0].track
    assert track.shape == (3, 7)
    assert np.ptp(track, axis=0) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("way", ["setting", "passive"])
def test_a_held_body_stays(cube, scene, way):
    if way == "setting":
        cube.fracture.held = True
    else:
        bpy.ops.rigidbody.object_add(type="PASSIVE")
    job = job_of(cube)
    assert job.bodies[0].track.shape == (1, 7)
    assert job.colliders == ()
    move(cube, {1: (0, 0, 0), 5: (1, 0, 0)})
    assert job_of(cube).bodies[0].track[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])


def test_the_activation_of_a_held_body_is_read(cube, scene):
    cube.fracture.held, cube.fracture.activation, cube.fracture.activation_speed = True, "EVENT", 2.5
    (body,) = job_of(cube).bodies
    assert body.settings.motion.waits
    assert body.settings.motion.least_gain == 2.5
