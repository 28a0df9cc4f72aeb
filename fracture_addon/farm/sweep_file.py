"""Read a sweep from a TOML file.

    model = "jar.obj"            # or scene = "shot.blend", or the name of an example scene
    versions = 3                 # runs of each combination, with successive seeds; default 1
    pictures = true              # render a contact sheet of each run; default true

    [options]                    # the same in every run
    preset = "terracotta"
    frames = "1-60"

    [sweep]                      # each combination of these values is a run
    violence = [1, 2, 4]
    strength = {from = 5, to = 80, count = 5, scale = "log"}

Names are options of the command line, such as ``drop_height``, or settings of ``--list-settings``.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.data.errors import SettingsError
from .plan import Plan, Run, Value, digests

# Options of the command line that a sweep can set. All other names are settings for ``--set``.
OPTIONS = {
    "object", "height", "preset", "wall", "islands", "scenario", "drop_height", "speed", "direction", "method",
    "softening", "made_as", "thickness", "violence", "resolution", "pieces", "dust", "seed", "frames",
    "checkpoint_every",
}  # fmt: skip
TABLES = ("options", "sweep")
KEYS = ("model", "scene", "versions", "pictures", *TABLES)
RANGE_KEYS = {"from", "to", "count", "scale"}
# Most runs of a sweep: each has a folder, and file systems slow down with more in one place.
MOST_RUNS = 100_000
# Significant digits of values that a range computes.
DIGITS = 12


def read(path: Path) -> Plan:
    """Read a sweep and expand it into runs.

    Raises:
        SettingsError: The file cannot be read, or something in it is wrong.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"'{path}' cannot be read ({error.strerror or error}); check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"'{path}' is not a TOML file ({error}); correct it") from error
    try:
        return _plan(content, path.resolve())
    except SettingsError as error:
        raise SettingsError(f"{path.name}: {error}") from error


def variants(plan: Plan) -> list[Run]:
    """Return runs in which each value of each setting occurs at least once: enough to check all values."""
    seen: set[tuple[str, Value]] = set()
    chosen = []
    for run in plan.runs:
        if not seen.issuperset(run.values.items()):
            chosen.append(run)
            seen.update(run.values.items())
    return chosen or list(plan.runs[:1])


def _plan(content: Mapping[str, Any], path: Path) -> Plan:
    if unknown := sorted(set(content) - set(KEYS)):
        raise SettingsError(f"'{unknown[0]}' is unknown; choose from {', '.join(KEYS)}")
    for name in TABLES:
        if not isinstance(content.get(name, {}), Mapping):
            raise SettingsError(f"'{name}' is not a table; write [{name}] and one setting a line below it")
    source, files = _source(content, path.parent)
    fixed = {name: _text(name, value) for name, value in content.get("options", {}).items()}
    axes = {name: _values(name, value) for name, value in content.get("sweep", {}).items()}
    if twice := sorted(fixed.keys() & axes.keys()):
        raise SettingsError(f"'{twice[0]}' is in [options] and in [sweep]; remove one of them")
    _add_versions(content, fixed, axes)
    if (count := math.prod(map(len, axes.values()))) > MOST_RUNS:
        raise SettingsError(f"the sweep has {count} runs; use at most {MOST_RUNS}")
    try:
        inputs = digests(files)
    except OSError as error:
        raise SettingsError(f"'{error.filename}' cannot be read ({error.strerror}); check the path") from error
    runs = []
    for number, chosen in enumerate(itertools.product(*axes.values()), 1):
        values = dict(zip(axes, chosen, strict=True))
        texts = fixed | {name: _text(name, value) for name, value in values.items()}
        runs.append(Run(number, values, (*source, *itertools.starmap(as_argument, texts.items()))))
    return Plan("wedge", path.stem, inputs, tuple(runs), _checked(content, "pictures", True, bool))


def _source(content: Mapping[str, Any], folder: Path) -> tuple[list[str], list[Path]]:
    """Return the arguments that name the input, and the files to read."""
    if ("model" in content) == ("scene" in content):
        raise SettingsError('it names no input, or two; write either model = "FILE" or scene = "FILE or name"')
    key = "model" if "model" in content else "scene"
    name = _checked(content, key, "", str)
    if key == "scene" and not name.lower().endswith(".blend"):
        return [f"--scene={name}"], []
    found = (folder / name).resolve()
    if not found.is_file():
        raise SettingsError(f"the {key} '{found}' does not exist; check the path, which is relative to the TOML file")
    return [str(found)], [found]


def _add_versions(content: Mapping[str, Any], fixed: dict[str, str], axes: dict[str, list[Value]]) -> None:
    """Replace a number of versions by a list of seeds."""
    count = _checked(content, "versions", 1, int)
    if count < 1:
        raise SettingsError(f"versions = {count} is out of range; choose at least 1")
    if count == 1:
        return
    if "seed" in axes:
        raise SettingsError("'versions' and 'seed' in [sweep] both set the seed; remove one of them")
    try:
        first = int(fixed.pop("seed", "0"))
    except ValueError:
        raise SettingsError("'seed' is not a whole number; write one") from None
    axes["seed"] = list(range(first, first + count))


def _checked(content: Mapping[str, Any], key: str, default: Any, kind: type) -> Any:
    value = content.get(key, default)
    if type(value) is not kind:
        names = {bool: "true or false", int: "a whole number", str: "a text"}
        raise SettingsError(f"'{key}' is {value!r}; write {names[kind]}")
    return value


def _values(name: str, value: Any) -> list[Value]:
    """Return the values of a list or a range."""
    if isinstance(value, Mapping):
        values: list[Value] = _range(name, value)
    elif isinstance(value, list):
        values = [item if isinstance(item, Value) else _text(name, item) for item in value]
    else:
        raise SettingsError(f"'{name}' has one value; write a list or a range, or move it to [options]")
    if not values:
        raise SettingsError(f"'{name}' has no values; add some, or remove it")
    kinds = {float if type(item) is int else type(item) for item in values}
    if len(kinds) > 1:
        raise SettingsError(f"'{name}' mixes numbers, texts or flags; write values of one kind")
    texts = [_text(name, item) for item in values]
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise SettingsError(f"'{name}' has the value {twice[0]} twice; remove one of them")
    return values


def _range(name: str, value: Mapping[str, Any]) -> list[Value]:
    if not {"from", "to"} <= set(value) <= RANGE_KEYS:
        raise SettingsError(f"'{name}' is not a range; write {{from = 1, to = 8, count = 4}}")
    low, high, scale = value["from"], value["to"], value.get("scale", "linear")
    if any(type(end) not in (int, float) or not math.isfinite(end) for end in (low, high)):
        raise SettingsError(f"'{name}' has an end that is not a number; write numbers for from and to")
    are_whole = type(low) is int and type(high) is int
    count = value.get("count", high - low + 1 if are_whole else None)
    if type(count) is not int or not 1 <= count <= MOST_RUNS:
        raise SettingsError(f"'{name}' has count = {count}; choose a whole number from 1 to {MOST_RUNS}")
    if scale not in ("linear", "log") or (scale == "log" and not (low > 0 and high > 0)):
        raise SettingsError(f'\'{name}\' cannot have scale = {scale!r}; use "linear", or "log" between positive ends')
    if count == 1:
        return [low]
    shares = [step / (count - 1) for step in range(count)]
    if scale == "log":
        found = [low * (high / low) ** share for share in shares]
    else:
        found = [low + (high - low) * share for share in shares]
    rounded = [float(f"{number:.{DIGITS}g}") for number in found]
    return [int(number) if are_whole and number.is_integer() else number for number in rounded]


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(type(item) in (int, float) for item in value):
        return ",".join(_text(name, item) for item in value)
    raise SettingsError(f"'{name}' has the value {value!r}; write a number, a text, true or false, or three numbers")


def as_argument(name: str, text: str) -> str:
    """Return the argument of the command line that sets an option or a setting."""
    key = name.replace("-", "_")
    return f"--{key.replace('_', '-')}={text}" if key in OPTIONS else f"--set={name}={text}"
