"""Cache of compiled functions on the disk, which replaces numba's own cache for this package.

numba's own cache has four faults. It unpickles every file that it finds. It fails on a damaged file and on a full disk.
It loses or mixes up entries when two processes write at the same time. It writes beside the sources, or into a folder
that other users can write.

In this cache, an entry is one file with a checksum, which is moved into place as a whole. A missing or damaged file
counts as no entry. Nothing is written unless a private folder is set.

The extension's zip can contain entries too (``.ci/build_extension.py``). They are for ``LEVEL``, not for one processor.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding
import numba
import numba.core.dispatcher
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from . import files

# Start of the names of the modules whose functions this cache contains.
PACKAGE = __name__.removesuffix("storage.compiled_code")
SUFFIX = ".code"
DIGEST_BYTES = hashlib.sha256().digest_size
# Environment variable with the folder for this process and its children. If it is empty or missing, nothing is written.
VARIABLE = "FRACTURE_COMPILED"

# Processors with an x86-64 of this level (Intel since 2013, AMD since 2015) run the same compiled code, so that their
# results are equal. What it has beyond lower levels: the System V ABI, AMD64 supplement, table 3.1.
LEVEL = "x86-64-v3"
LEVEL_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")

# Folder of the entries that came with the extension, beside the package. A checkout has none.
SHIPPED = Path(__file__).resolve().parents[3] / "compiled"

# Absolute, because the repair of a mesh may change the working directory while another thread compiles.
_folder: Path | None = Path(os.environ[VARIABLE]).absolute() if os.environ.get(VARIABLE) else None


def set_folder(folder: Path | None) -> None:
    """Set the folder of the cache.

    Args:
        folder: A folder of ``folders.make``, or a folder below it; ``None`` for no cache.
    """
    global _folder
    _folder = folder.absolute() if folder else None


def install() -> None:
    """Let numba use this cache for the functions of this package. Other packages keep numba's own.

    Functions are compiled for ``LEVEL`` if this processor has it, and else for the processor itself.

    Call it before the first ``njit(cache=True)`` of the package.
    """
    features = llvmlite.binding.get_host_cpu_features()
    if not vars(config)["CPU_NAME"] and all(features.get(name) for name in LEVEL_FEATURES):
        vars(config).update(CPU_NAME=LEVEL, CPU_FEATURES="")

    def cache_of(function: FunctionType) -> FunctionCache:
        is_ours = function.__module__.startswith(PACKAGE)
        return _CompiledCode(function) if is_ours else FunctionCache(function)

    numba.core.dispatcher.FunctionCache = cache_of  # type: ignore[attr-defined] # numba's stubs omit the name


def is_shipped() -> bool:
    """Return whether the extension came with compiled code that this processor can run."""
    return vars(config)["CPU_NAME"] == LEVEL and SHIPPED.is_dir()


def reported(say: Callable[[bool], None]) -> AbstractContextManager[object]:
    """Report, inside a ``with`` block, when numba begins and ends to compile.

    numba compiles a function together with those that it calls. Measured: at most 2.2 s of processor time pass between
    two calls.

    Args:
        say: Called with ``True`` when a compilation begins. When one ends, called with whether others still run.
    """
    return event.install_listener("numba:compile", _Compilation(say))


class _Compilation(event.Listener):
    """Counts the functions that are being compiled."""

    def __init__(self, say: Callable[[bool], None]):
        self._say, self._open = say, 0

    def on_start(self, _: event.Event) -> None:
        self._open += 1
        self._say(True)

    def on_end(self, _: event.Event) -> None:
        self._open -= 1
        self._say(self._open > 0)


class _CompiledCode(FunctionCache):
    """numba's cache of one function, with ``_Entries`` instead of its files."""

    def __init__(self, function: FunctionType) -> None:
        self._name, self._py_func = repr(function), function
        self._impl = _Serializer(function)
        self._cache_file = _Entries(function)
        self.enable()

    @property
    def cache_path(self) -> Path | None:
        """The folder; ``None`` for no cache."""
        return _folder


class _Serializer(CompileResultCacheImpl):
    """Converts compiled functions to plain values and back. Unlike numba's own, it does not search for a folder."""

    def __init__(self, function: FunctionType) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _NoLocator(inspect.getfile(function))


class _NoLocator:
    """Replacement of numba's search for a folder: only the path of the source, which numba's warnings contain."""

    def __init__(self, source: str):
        self._py_file = source

    def ensure_cache_path(self) -> None:
        """Do nothing: ``_Entries`` creates the folder when it writes."""


class _Entries:
    """The compiled versions of one function: one file each, named after a digest of everything that it depends on."""

    def __init__(self, function: FunctionType) -> None:
        # An entry contains the name of the package, which differs between Blender and the worker.
        self._module = function.__module__
        self._name = f"{self._module.rpartition('.')[2]}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._function = function

    def load(self, key: object) -> Any:
        """Return numba's entry of a key; ``None`` if it is missing or damaged."""
        name = self._file_name(key)
        for folder in (_folder, SHIPPED):
            content = _read(folder / name) if folder else b""
            value = content[DIGEST_BYTES:]
            if value and hashlib.sha256(value).digest() == content[:DIGEST_BYTES]:
                found, entry = pickle.loads(value)
                if found == key:
                    return entry
        return None

    def save(self, key: object, entry: object) -> None:
        """Write an entry. If that fails, the next process compiles the function again."""
        if _folder is None:
            return
        value, path = dumps((key, entry)), _folder / self._file_name(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with files.replacing(path) as part:
                part.write_bytes(hashlib.sha256(value).digest() + value)

    def flush(self) -> None:
        """Do nothing: a changed source has another digest, so that no entry is outdated."""

    def _file_name(self, key: object) -> str:
        facts = (self._module, key, numba.__version__, sys.version_info[:2], _dependencies(self._function))
        return f"{self._name}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:24]}{SUFFIX}"


def _read(path: Path) -> bytes:
    """Return the bytes of a file; none if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _dependencies(function: FunctionType) -> list[str]:
    """Return what the compiled form of a function depends on: digests of sources, and the constants that it reads.

    A compiled function contains the functions that it calls and the values of global constants. Its own source file
    alone therefore does not show whether an entry is still valid.
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
    """Yield the global values that a function reads, also from modules that it imports and from enclosing functions."""
    names, closure = function.__code__.co_names, inspect.getclosurevars(function)
    values = {**closure.nonlocals, **closure.globals}
    yield from values.items()
    for module in (value for value in values.values() if isinstance(value, ModuleType)):
        if module.__name__.startswith(PACKAGE):
            yield from ((name, vars(module)[name]) for name in names if name in vars(module))


@cache
def _source_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
