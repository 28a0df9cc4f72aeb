"""The tables of the pages in docs/settings, from the properties of the panel, and that of the operators in api.md.

A table keeps its page and the order of its rows. The text of a row comes from the property that it names. A property
without a row gets one behind that of the property declared before it.

    python -m docs.guide_tables             compares, and prints what differs
    python -m docs.guide_tables --write     writes the tables
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import bpy

from fracture_addon.blender import operators, properties, registration
from fracture_addon.blender.read.settings import plain
from fracture_addon.blender.setup.named_settings import NO_LIMIT
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.settings.setting import table
from fracture_addon.core.data.settings.settings import all_rows
from fracture_addon.core.methods.table import METHODS

DOCS = Path(__file__).parent
ROW = re.compile(r"^\| \*[^|]+\| `(\w+)`[^|]*\|.*\n", re.MULTILINE)
HEAD = re.compile(r"^\| setting \| name \|.*\n\|---.*$", re.MULTILINE)
OPERATORS = re.compile(r"^\| operator \| values \|.*\n(?:\|.*\n)*", re.MULTILINE)
UNUSED = re.compile(r"^\| method \| without effect on .*\n(?:\|.*\n)*", re.MULTILINE)
# Operators of the pointer.
NEED_A_WINDOW = ("impact_tool", "cancel")
NEW_HEAD = "| setting | name | default, limits | effect |\n|---|---|---|---|"


def rows() -> dict[str, str]:
    """Return the row of each setting of the panel by its name, in the order of their declaration."""
    stored = {row.property or name: (name, row) for name, (row, _) in {**all_rows(), **table(Material)}.items()}
    scaled = {name: row.scaled_property(field) for name, (field, row) in stored.items() if row.scaled is not None}
    found = {}
    for group in (properties.FractureObjectSettings, properties.FractureSceneSettings):
        declared = group.bl_rna.properties
        for item in declared:
            name = item.identifier
            if name in ("rna_type", "name") or name in scaled.values():
                continue
            shown, names, limits = item, f"`{name}`", _limits(item)
            if name in scaled:
                _, row = stored[name]
                shown, names = declared[scaled[name]], f"`{scaled[name]}`, `{name}` in {row.unit}"
                limits = _value(item.default / row.scaled[1])
            found[name] = f"| *{shown.name}* | {names} | {limits} | {_effect(shown)} |"
    return found


def read() -> dict[str, str]:
    """Return the texts of the pages by their paths below docs."""
    paths = [*sorted(DOCS.glob("settings/*.md")), DOCS / "api.md"]
    return {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def generated(pages: Mapping[str, str]) -> dict[str, str]:
    """Return the pages with their tables of settings written again."""
    wanted, present = rows(), {_name(match) for text in pages.values() for match in ROW.finditer(text)}
    behind: dict[str, list[str]] = {}
    last = ""
    for name in wanted:
        if name in present:
            last = name
        else:
            behind.setdefault(last, []).append(name)

    def written(match: re.Match[str]) -> str:
        return "".join(f"{wanted[name]}\n" for name in (_name(match), *behind.get(_name(match), ())) if name in wanted)

    unused, called = unused_table(), operator_table()
    return {
        page: OPERATORS.sub(called, UNUSED.sub(unused, ROW.sub(written, HEAD.sub(NEW_HEAD, text))))
        for page, text in pages.items()
    }


def unused_table() -> str:
    """Return the table of the settings that have no effect, by method and dynamics."""
    lines = ["| method | without effect on rigid bodies | without effect on deformable bodies |", "|---|---|---|"]
    for row in METHODS.values():
        able = row.capabilities
        kinds = (able.unused_by_rigid, able.unused(deforms=True, thin=True) if able.deformable else {})
        lines.append(f"| {row.label} | {' | '.join(map(_by_reason, kinds))} |")
    return "\n".join(lines) + "\n"


def operator_table() -> str:
    """Return the table of the operators that a script can call, without those that need a pointer or a window."""
    lines = ["| operator | values | effect |", "|---|---|---|"]
    for kind in operators.CLASSES:
        name = kind.bl_idname.rpartition(".")[2]
        if name in NEED_A_WINDOW:
            continue
        declared = getattr(bpy.ops.fracture, name).get_rna_type().properties
        values = ", ".join(f"`{item.identifier}`" for item in declared if item.identifier != "rna_type")
        lines.append(f"| `{name}` | {values} | {kind.bl_description} |")
    return "\n".join(lines) + "\n"


def _by_reason(unused: Mapping[str, str]) -> str:
    """Return the names of settings, grouped by the reason why they have no effect."""
    properties = {name: row.property or name for name, (row, _) in all_rows().items()}
    reasons: dict[str, list[str]] = {}
    for name, reason in unused.items():
        reasons.setdefault(reason, []).append(f"`{properties.get(name, name)}`")
    return ". ".join(f"*{reason}*: {', '.join(names)}" for reason, names in reasons.items()) or "not available"


def _name(match: re.Match[str]) -> str:
    """Return the name of a row's property; the stored one of a pair."""
    names = re.findall(r"`(\w+)`", match[0].split("|")[2])
    return names[-1] if names[0].startswith(names[-1]) else names[0]


def _effect(item: Any) -> str:
    text = item.description
    if item.type == "ENUM":
        text += ". " + ". ".join(
            f"*{choice.name}* (`{choice.identifier.lower()}`): {choice.description}" for choice in item.enum_items
        )
    return text.replace("|", "/")


def _limits(item: Any) -> str:
    if item.type in ("POINTER", "COLLECTION", "STRING"):
        return f"`{item.default}`" if getattr(item, "default", "") else "none"
    if item.type == "BOOLEAN":
        return "on" if item.default else "off"
    if item.type == "ENUM":
        return item.enum_items[item.default].name
    if item.is_array:
        return ", ".join(map(_value, item.default_array))
    unit = " m" if item.unit == "LENGTH" else ""
    return "; ".join(part for part in (_value(item.default) + unit, _range(item)) if part)


def _range(item: Any) -> str:
    low, high = item.hard_min, item.hard_max
    if abs(low) < NO_LIMIT and abs(high) < NO_LIMIT:
        return f"{_value(low)} to {_value(high)}"
    return f"at least {_value(low)}" if abs(low) < NO_LIMIT else ""


def _value(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{plain(number):,.7g}"


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for page, text in before.items():
        yield from difflib.unified_diff(
            text.splitlines(), after[page].splitlines(), page, "generated", lineterm="", n=0
        )


def main() -> int:
    """Compare the pages, or write them with ``--write``; return 1 if they differ."""
    registration.register()
    before = read()
    after = generated(before)
    if "--write" in sys.argv[1:]:
        for page, text in after.items():
            (DOCS / page).write_text(text, encoding="utf-8")
        return 0
    print("\n".join(_differences(before, after)))  # noqa: T201 - a command's output
    return int(before != after)


if __name__ == "__main__":
    sys.exit(main())
