"""Versions of the libraries whose code determines the bytes of a result."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from importlib import import_module

# All dependencies of pyproject.toml but bpy, which never runs in core.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "manifold3d", "rapier3d", "pytetwild")


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return the name and the version of each library, for the keys of caches."""
    return tuple((name, _version(name)) for name in LIBRARIES)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        # Blender's own numpy may lack the metadata of a package.
        return str(getattr(import_module(name), "__version__", "unknown"))
    except ImportError:
        return "missing"  # a library without a wheel for this platform
