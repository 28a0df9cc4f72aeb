"""``python -m benchmarks._constants PACKAGE [NAME ...]``: how results change with tuned constants of core.

PACKAGE is the beginning of module names in core, for example ``methods.network``. Each constant is changed alone, down
and up, to a share that may change results and to one that shows whether a scene reaches it. Without names, these are
the constants whose comment has the words "not measured". Small scenes of ``tests.recordings`` and of
``benchmarks._rare_scenes`` run with several seeds. The first rows have the numbers of fragments with the constants as
they are, one for each seed; for deformable bodies also the mean displacement in mm. A row of a constant lists the
scenes whose recordings have other bytes, with their numbers.
"""

from __future__ import annotations

import ast
import multiprocessing
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

import benchmarks  # noqa: F401  it sets the folder of compiled code
import fracture_addon.core
from benchmarks import _rare_scenes
from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.timeline.fracture_only import fracture_only
from fracture_addon.core.timeline.timeline import simulate
from tests import recordings

CORE = fracture_addon.core.__name__ + "."
FOLDER = Path(fracture_addon.core.__path__[0])
SCENES = {**recordings.SCENES, **_rare_scenes.JOBS, **_rare_scenes.AT_REST}
# First words of the scenes of packages; other packages have those of "network" and the rest.
METHODS = {"methods.lattice": "lattice", "methods.fem": "fem"}
SEEDS = range(3)
# Factors of a share from a half to 0.83, of a larger share, and of everything else: a share stays below 1.
SHARE, LARGE_SHARE, OTHER = (0.7, 1.2), (0.8, 1.05), (0.5, 2.0)
# Factors that show whether a scene reaches a constant.
EXTREMES = (0.01, 100.0)
MARK = "not measured"

# Digest and outcome for each seed of each scene.
Results = dict[str, list[tuple[str, str]]]


def constants(package: str, wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield module and name of constants."""
    for path in sorted(FOLDER.rglob("*.py")):
        module = ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        if not module.startswith(package):
            continue
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign):
                start = node.lineno - 1
                while start and lines[start - 1].startswith("#"):
                    start -= 1
                comment = re.sub(r"\s+(?:# )?", " ", " ".join(lines[start : node.lineno - 1]))
                names = [item.id for item in ast.walk(node.targets[0]) if isinstance(item, ast.Name)]
                yield from ((module, name) for name in names if (name in wanted if wanted else MARK in comment))


def values(value: float) -> list[float]:
    """Return a smaller and a larger value, and two extreme ones."""
    if isinstance(value, int):
        return [max(1, value // 2), 2 * value, 1, 20 * value]
    factors = OTHER if value < 0.5 or value > 1.0 else SHARE if value < 0.83 else LARGE_SHARE
    return [factor * value for factor in (*factors, *EXTREMES)]


def measured(scenes: tuple[str, ...], module: str = "", name: str = "", value: float = 0.0) -> Results:
    """Run the scenes, with a constant changed in each module that has it."""
    if name:
        before = getattr(sys.modules[CORE + module], name)
        for other in [found for key, found in sys.modules.items() if key.startswith(CORE)]:
            if getattr(other, name, None) is before:
                setattr(other, name, value)
            for function in _functions(other):
                defaults = function.__defaults__ or ()
                function.__defaults__ = tuple(value if default is before else default for default in defaults)
                for key, default in (function.__kwdefaults__ or {}).items():
                    if default is before:
                        function.__kwdefaults__[key] = value
    return {scene: [_run(scene, seed) for seed in SEEDS] for scene in scenes}


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield functions and methods that a module defines; their default values may be constants."""
    for owner in (module, *(value for value in vars(module).values() if isinstance(value, type))):
        yield from (value for value in vars(owner).values() if isinstance(value, FunctionType))


def _run(scene: str, seed: int) -> tuple[str, str]:
    job = SCENES[scene]()
    bodies = tuple(replace(body, settings=body.settings.changed(seed=seed)) for body in job.bodies)
    run = fracture_only if scene in _rare_scenes.AT_REST else simulate
    try:
        recording = run(replace(job, bodies=bodies), lambda stage, share: None)
    except FractureError as error:
        return "", type(error).__name__
    moved = [np.linalg.norm(item.points[-1] - item.points[0], axis=1).mean() for item in recording.deformed]
    pieces = len(recording.fragments) + sum(int(item.piece_of_face.max()) + 1 for item in recording.deformed)
    return recordings.digest(recording), f"{pieces}" + "".join(f" ({1e3 * distance:.1f} mm)" for distance in moved)


def _counts(results: Results, scenes: list[str]) -> str:
    return "; ".join(f"{scene}: " + ", ".join(outcome for _, outcome in results[scene]) for scene in scenes)


def main(package: str, wanted: list[str]) -> None:
    """Print the rows."""
    for item in pkgutil.walk_packages(fracture_addon.core.__path__, CORE):
        import_module(item.name)
    method = next((word for start, word in METHODS.items() if package.startswith(start)), "")
    methods = set(METHODS.values())
    scenes = tuple(name for name in SCENES if (name.split()[0] == method if method else name.split()[0] not in methods))
    # A process for each value, because compiled code contains the constants.
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        plain = pool.apply(measured, (scenes,))
        for scene in scenes:
            print(_counts(plain, [scene]), flush=True)
        for module, name in constants(package, wanted):
            before = getattr(sys.modules[CORE + module], name)
            for value in values(before) if isinstance(before, (int, float)) else ():
                found = pool.apply(measured, (scenes, module, name, value))
                text = _counts(found, [scene for scene in scenes if found[scene] != plain[scene]]) or "same bytes"
                print(f"{module}.{name} {before:g} -> {value:g}: {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
