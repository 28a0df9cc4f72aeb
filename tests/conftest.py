"""Fixtures that the tests share."""

from __future__ import annotations

import pytest

from fracture_addon.core.surface import Surface
from tests import shapes


@pytest.fixture(scope="session")
def jar() -> Surface:
    """A closed jar with a handle, UVs and a texture."""
    return shapes.shipped("old_jar")


@pytest.fixture(scope="session")
def cup() -> Surface:
    """A cup with a thin wall."""
    return shapes.cup()
