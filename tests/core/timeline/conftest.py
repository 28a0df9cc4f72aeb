"""Bodies that no load breaks."""

import pytest

from fracture_addon.core.timeline.rigid_timeline import Timeline


@pytest.fixture
def held_loads(monkeypatch):
    """The peak forces, N, of all loads that would have broken a body: each of them breaks nothing."""
    loads = []

    def holds(self, number, impacts, faces=None):
        loads.append(sum(impact.peak_force for impact in impacts))
        return False

    monkeypatch.setattr(Timeline, "_strike_with", holds)
    return loads
