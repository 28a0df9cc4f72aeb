"""Bodies of a size or at a place that nothing can be computed with are refused before any geometry."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline import preparation
from fracture_addon.core.timeline.preparation import preview_cells
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

pytestmark = pytest.mark.usefixtures("halving")


def job(size: float, offset: float = 0.0) -> Job:
    """A struck cube on a floor of five times its size."""
    surface = shapes.moved(shapes.cube(), size, offset=(offset, offset, 0.6 * size))
    impact = AuthoredImpact(2, np.array([offset, offset, 1.1 * size]), np.array([0.0, 0.0, -1.0]), 8.0)
    corners = 5.0 * size * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) + [offset, offset, 0.0]
    floor = Collider("Floor", Surface(corners, [[0, 1, 2], [0, 2, 3]]))
    return Job(
        (Body("Tiny", surface, PORCELAIN, Settings.of(method="halving", cell_count=300), impacts=(impact,)),),
        (floor,),
        1,
        4,
    )


@pytest.mark.parametrize("task", [simulate, preview_cells])
@pytest.mark.parametrize(
    ("size", "offset", "message"),
    [
        (1e-20, 0.0, r"it is 1\.7e-20 m across, and the smallest size is 1e-06 m; scale it up"),
        (1e20, 0.0, r"it is 1\.7e\+20 m across, and the largest size is 1e\+06 m; scale it down"),
        (1.0, 1e7, r"it is 1\.7 m across and 1e\+07 m from the world's origin.*rounding; move it nearer"),
    ],
    ids=["small", "large", "far"],
)
def test_an_absurd_size_or_place_is_refused_with_its_number(size, offset, message, task, monkeypatch):
    monkeypatch.setattr(preparation, "prepare_body", None)  # not reached
    with pytest.raises(InvalidMeshError, match=f"'Tiny' cannot be broken: {message}") as caught:
        task(job(size, offset), lambda stage, share: None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("size", "offset"), [(1e-6, 0.0), (5e5, 0.0), (1.0, 1e6)], ids=["small", "large", "far"])
def test_within_the_limits_bodies_break(size, offset):
    recording = simulate(job(size, offset), lambda stage, share: None)
    assert len(recording.fragments) >= 2
    assert all(np.isfinite(fragment.poses).all() for fragment in recording.fragments)
