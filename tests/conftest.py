"""Fixtures that the tests share."""

# ruff: noqa: E402 - the environment has to be set before the package is imported
from __future__ import annotations

import pytest

from tests import compiled_code

compiled_code.keep()

from fracture_addon.core.data.surface import Surface
from tests import shapes


@pytest.fixture(scope="session")
def jar() -> Surface:
    """A closed jar with a handle, UVs and a texture."""
    return shapes.shipped("old_jar")


@pytest.fixture(scope="session")
def cup() -> Surface:
    """A cup with a thin wall."""
    return shapes.cup()
