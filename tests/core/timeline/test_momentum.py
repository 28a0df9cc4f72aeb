"""Momentum and angular momentum of body and ball at the step in which the body breaks."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.job import Job, Settings
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.rigid_timeline import Timeline
from tests.core.timeline_scenes import WEIGHTLESS, ball, block

STILL = np.zeros(3)


def momenta(properties, pose, velocity, spin):
    """Momentum (3,) N s and angular momentum (3,) N m s about the origin of a body in the world."""
    rotation = matrices(pose[3:])
    momentum = properties.mass * velocity
    return np.concatenate([momentum, rotation @ properties.inertia @ rotation.T @ spin + np.cross(pose[:3], momentum)])


class Watched(Timeline):
    """A timeline that notes the momenta of everything before and after the contacts of the step of the break."""

    before = after = None

    def _total(self, motions):
        scene = self.scene
        keys = [*scene.collider_keys, *(item.key for item in scene.fragments if item.key >= 0)]
        return sum(momenta(scene.properties(key), scene.world.pose(key), *motions(key)) for key in keys)

    def _apply_contacts(self, touching, before):
        if not self.breaker.statistics[0].break_count:
            self.before = self._total(before.__getitem__)
            super()._apply_contacts(touching, before)
            self.after = self._total(self.scene.world.velocities)


def broken(method, violence, cells, speed=80.0, spin=(3.0, -2.0, 5.0)):
    """The timeline of a turning block that a ball hit off its middle."""
    settings = Settings.of(method=method, cell_count=cells, violence=violence, dust="merge", break_depth=1)
    body = block(settings=settings, velocity=np.array([0.5, 1.0, -1.0]), angular_velocity=np.array(spin))
    job = Job((body,), (ball(speed, 0.5),), 1, 12, gravity=WEIGHTLESS)
    timeline = Watched(job, [prepare(job, 0, lambda stage, share: None)], lambda stage, share: None)
    timeline.run(lambda: timeline.breaker.statistics[0].break_count > 0)
    return timeline


@pytest.mark.parametrize("cells", [150, 600])
@pytest.mark.parametrize("violence", [1.0, 3.0])
@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
def test_a_break_keeps_momentum_and_angular_momentum(method, violence, cells):
    """Of ball and fragments together, at the poses of the break."""
    timeline = broken(method, violence, cells)
    assert sum(item.key >= 0 for item in timeline.scene.fragments) > 1
    size = np.repeat([np.linalg.norm(timeline.before[:3]), np.linalg.norm(timeline.before[3:])], 3)
    np.testing.assert_allclose((timeline.after - timeline.before) / size, 0.0, atol=1e-6)
