"""Ways of breaking that tests know by name."""

import pytest

from fracture_addon.core import method


@pytest.fixture
def halving(monkeypatch):
    """The methods ``halving`` and ``refining``, of tests only."""
    monkeypatch.setitem(method.METHODS, "halving", "tests.core.halving")
    monkeypatch.setitem(method.METHODS, "refining", "tests.core.refining")
