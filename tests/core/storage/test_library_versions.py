"""Keys of caches name every library whose bytes affect a result."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from fracture_addon.core.storage import library_versions
from fracture_addon.core.timeline import cache

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


@pytest.fixture(autouse=True)
def _fresh():
    library_versions.versions.cache_clear()
    yield
    library_versions.versions.cache_clear()


def test_every_dependency_but_bpy_is_named():
    declared = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.match(r"[\w-]+", item)[0] for item in declared}
    assert set(library_versions.LIBRARIES) == names - {"bpy"}


@pytest.mark.parametrize("name", library_versions.LIBRARIES)
def test_another_version_of_a_library_gives_another_key(monkeypatch, name):
    before = cache._key("solid", (1,))
    library_versions.versions.cache_clear()
    version = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda asked: f"{version(asked)}.1" if asked == name else version(asked)
    )
    assert cache._key("solid", (1,)) != before


def test_a_library_without_metadata_is_asked_itself(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert dict(library_versions.versions())["numpy"] == np.__version__
    monkeypatch.setattr(library_versions, "LIBRARIES", ("no_such_library",))
    library_versions.versions.cache_clear()
    assert library_versions.versions() == (("no_such_library", "missing"),)
