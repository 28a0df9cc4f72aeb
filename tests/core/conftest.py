"""Ways of breaking that tests know by name, and solids that several of them use."""

import pytest

from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.capabilities import Capabilities
from tests.core.halving import Halving
from tests.core.refining import Refining


@pytest.fixture
def halving(monkeypatch):
    """The methods ``halving`` and ``refining``, of tests only."""
    for method in (Halving, Refining):
        row = table.Row(method.__name__, Capabilities(), method)
        monkeypatch.setitem(table.METHODS, method.__name__.lower(), row)


@pytest.fixture(scope="session")
def cup_solid(cup):
    """The cup as 1,200 cells."""
    return tetrahedralize(cup, 1200, 3)
