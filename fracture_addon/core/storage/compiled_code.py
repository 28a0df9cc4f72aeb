"""Compiled code on the disk: numba's cache, made safe for the functions of this package.

numba's own cache unpickles whatever it finds, fails on a damaged file and on a full disk, and loses or mixes up entries
when two processes write at the same time. It also writes beside the sources or into a folder that others may know.
Here an entry is one file that carries a checksum and is moved into place as a whole. A file that is missing or damaged
counts as no entry, and nothing is written unless a private folder is named.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

import numba
import numba.core.dispatcher
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from . import files

# Start of the names of the modules whose functions are kept here.
PACKAGE = __name__.removesuffix("storage.compiled_code")
SUFFIX = ".code"
DIGEST_BYTES = hashlib.sha256().digest_size
# The folder for this process and its children; empty or missing: nothing is kept.
VARIABLE = "FRACTURE_COMPILED"

_folder: Path | None = Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None


def keep_in(folder: Path | None) -> None:
    """Keep compiled code in a folder from now on.

    Args:
        folder: One of ``folders.make``, or a folder below it; ``None`` keeps nothing.
    """
    global _folder
    _folder = folder


def install() -> None:
    """Let numba use this cache for the functions of this package; other packages keep numba's own.

    It has to be called before the first ``njit(cache=True)`` of the package.
    """

    def cache_of(function):
        is_ours = function.__module__.startswith(PACKAGE)
        return _CompiledCode(function) if is_ours else FunctionCache(function)

    numba.core.dispatcher.FunctionCache = cache_of


class _CompiledCode(FunctionCache):
    """numba's cache of one function, with ``_Entries`` in place of its files."""

    def __init__(self, function):
        self._name, self._py_func = repr(function), function
        self._impl = _Serializer(function)
        self._cache_file = _Entries(function)
        self.enable()

    @property
    def cache_path(self) -> Path | None:
        """The folder, ``None`` where nothing is kept."""
        return _folder


class _Serializer(CompileResultCacheImpl):
    """Turns compiled functions into plain values and back; it looks for no folder, as numba's own does."""

    def __init__(self, function):
        self._lineno = function.__code__.co_firstlineno
        self._locator = _NoLocator(inspect.getfile(function))


class _NoLocator:
    """What is left of numba's search for a folder: the path that its warnings name."""

    def __init__(self, source: str):
        self._py_file = source

    def ensure_cache_path(self) -> None:
        """``_Entries`` creates the folder when it writes."""


class _Entries:
    """The compiled versions of one function: a file for each, named after a digest of everything it depends on."""

    def __init__(self, function):
        # Blender and its children know this package by different names, which an entry contains.
        self._module = function.__module__
        self._name = f"{self._module.rpartition('.')[2]}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._function = function

    def load(self, key):
        """Return the entry of a key, ``None`` where there is none that is whole."""
        if _folder is None:
            return None
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        value = content[DIGEST_BYTES:]
        if hashlib.sha256(value).digest() != content[:DIGEST_BYTES]:
            return None
        found, entry = pickle.loads(value)
        return entry if found == key else None

    def save(self, key, entry) -> None:
        """Keep an entry; where that fails, the next process compiles the function again."""
        if _folder is None:
            return
        value, path = dumps((key, entry)), self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with files.replacing(path) as part:
                part.write_bytes(hashlib.sha256(value).digest() + value)

    def flush(self) -> None:
        """Nothing is out of date: a changed source has other digests."""

    def _path(self, key) -> Path:
        facts = (self._module, key, numba.__version__, sys.version_info[:2], _dependencies(self._function))
        return _folder / f"{self._name}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:24]}{SUFFIX}"


def _dependencies(function: FunctionType) -> list[str]:
    """Return what the compiled form of a function depends on: sources, and the constants that it reads.

    A compiled function contains the functions that it calls and the global values of the time. So its own file is not
    enough to tell whether an entry is still right.
    """
    facts, seen, waiting = set(), {function}, [function]
    while waiting:
        this = waiting.pop()
        facts.add(_source_digest(inspect.getfile(this)))
        for name, value in _global_values(this):
            callee = getattr(value, "py_func", None)
            if callee is not None and callee not in seen:
                seen.add(callee)
                waiting.append(callee)
            elif isinstance(value, (bool, int, float, str)):
                facts.add(f"{name} = {value!r}")
    return sorted(facts)


def _global_values(function: FunctionType) -> Iterator[tuple[str, object]]:
    """Yield the global values that a function names, also as attributes of modules and from enclosing functions."""
    names, closure = function.__code__.co_names, inspect.getclosurevars(function)
    values = {**closure.nonlocals, **closure.globals}
    yield from values.items()
    for module in (value for value in values.values() if isinstance(value, ModuleType)):
        if module.__name__.startswith(PACKAGE):
            yield from ((name, vars(module)[name]) for name in names if name in vars(module))


@cache
def _source_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
