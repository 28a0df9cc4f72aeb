"""Fixtures that the tests share."""

# ruff: noqa: E402 - the environment has to be set before the package is imported
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# Before the first import of the package: tests and the workers they start keep their compiled code between runs.
COMPILED = Path(__file__).resolve().parents[1] / ".cache" / f"compiled-{sys.version_info.major}{sys.version_info.minor}"
os.environ.setdefault("FRACTURE_COMPILED", str(COMPILED))

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
