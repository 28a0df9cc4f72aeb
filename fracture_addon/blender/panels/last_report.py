"""Lines of the panel from the report of a result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

import bpy

from ..scene import result_lookup

# Relative error of the volume below which the panel says "exact"; chosen above the rounding error of float32 points.
EXACT = 1e-6


@dataclass(frozen=True)
class Line:
    """A line of the panel."""

    text: str
    is_warning: bool = False


def lines(obj: bpy.types.Object) -> tuple[Line, ...]:
    """Return the report of an object's last run, also for a piece of the object; empty without a result."""
    collections = obj.users_collection if result_lookup.SOURCE in obj else (result_lookup.collection_of(obj),)
    texts = [
        collection[result_lookup.REPORT]
        for collection in collections
        if collection and result_lookup.REPORT in collection
    ]
    return _lines(texts[0]) if texts else ()


# Blender draws the panel many times per second, so each text is parsed only once.
@lru_cache(maxsize=8)
def _lines(text: str) -> tuple[Line, ...]:
    try:
        report = json.loads(text)
    except ValueError:
        return (Line("The report of this result is not valid JSON; press Shatter again", True),)
    facts = [Line(part) for part in (_counts(report), _load(report), _dust(report), report.get("repair")) if part]
    return (*facts, *(Line(warning, True) for warning in report.get("warnings", ())))


def _counts(report: dict) -> str:
    error = abs(report.get("volume_error", 0.0))
    parts = [
        f"{report.get('fragments', 0):,} pieces",
        "volume exact" if error < EXACT else f"volume off by {error:.2%}",
    ]
    seconds = report.get("seconds", {}).get("total")
    if seconds is not None:
        parts.append(f"{seconds:.{1 if seconds < 10.0 else 0}f}\u00a0s")
    return ", ".join(parts)


def _load(report: dict) -> str:
    factor = report.get("load_factor", 0.0)
    return f"Peak load: {factor:.3g} times the breaking load" if factor else ""


def _dust(report: dict) -> str:
    count = report.get("dust_count", 0)
    return f"Dust: {count:,} pieces, {report.get('dust_volume', 0.0):.2%} of the volume" if count else ""
