"""Lines of the panel from the report of a result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import bpy

from ...core.data.job import ROUGH
from ..scene import result_lookup

# Relative error of the volume below which the panel says "exact"; above the rounding error of float32 points.
EXACT = 1e-6


@dataclass(frozen=True)
class Line:
    """A line of the panel."""

    text: str
    is_warning: bool = False


def lines(obj: bpy.types.Object) -> tuple[Line, ...]:
    """Return the report of an object's last run, also for a piece of the object; empty without a result."""
    collection: Any = result_lookup.collection_of(result_lookup.subject_of(obj))
    if collection is None or result_lookup.REPORT not in collection:
        return ()
    return _lines(collection[result_lookup.REPORT], result_lookup.subject_of(obj).name)


def openings(obj: bpy.types.Object) -> str:
    """Return how the last run closed an object's openings: "hollow" or "filled"; empty if it had none."""
    collection = result_lookup.collection_of(result_lookup.subject_of(obj))
    return _openings(collection.get(result_lookup.REPORT, "")) if collection is not None else ""


@lru_cache(maxsize=8)
def _openings(text: str) -> str:
    try:
        return str(json.loads(text).get("openings", ""))
    except ValueError:
        return ""


# Blender draws the panel many times per second, so each text is parsed only once.
@lru_cache(maxsize=8)
def _lines(text: str, name: str) -> tuple[Line, ...]:
    try:
        report = json.loads(text)
    except ValueError:
        return (Line("The report of this result is not valid JSON; press Shatter again", True),)
    several = report.get("objects", {"count": 1})["count"] > 1
    facts = [_load(report), _strengthened(report), _dust(report)] if report.get("fragments", 0) else []
    return (
        *([Line("Rough run: press Shatter for all details")] if ROUGH in report.get("options", {}) else []),
        *([_all_objects(report)] if several else []),
        _outcome(report, name if several else ""),
        *(Line(part) for part in (*facts, *report.get("loads", ()), report.get("repair")) if part),
        *(Line(warning, True) for warning in report.get("warnings", ())),
    )


def _all_objects(report: dict) -> Line:
    count, fragments = report["objects"]["count"], report["objects"]["fragments"]
    if not fragments:
        return Line(f"None of {count:,} objects broke{_seconds(report)}", True)
    return Line(f"{count:,} objects, {fragments:,} {_pieces(fragments)} in all{_seconds(report)}")


def _outcome(report: dict, name: str) -> Line:
    """Return the line about one object. A ``name`` tells it from others, whose first line has the duration."""
    if not report.get("fragments", 0):
        return Line(f"{name}: did not break" if name else f"Nothing broke{_seconds(report)}", not name)
    return Line(f"{name}: {_counts(report)}" if name else _counts(report) + _seconds(report))


def _counts(report: dict) -> str:
    count, error = report.get("fragments", 0), abs(report.get("volume_error", 0.0))
    parts = [
        # The number is one sample of a random quantity.
        f"{count:,} {_pieces(count)} with this seed",
        "volume exact" if error < EXACT else f"volume error {error:.2%}",
    ]
    return ", ".join(parts)


def _seconds(report: dict) -> str:
    seconds = report.get("seconds", {}).get("total")
    return "" if seconds is None else f", {seconds:.{1 if seconds < 10.0 else 0}f}\u00a0s"


def _load(report: dict) -> str:
    factor = report.get("load_factor", 0.0)
    return f"Peak load: {factor:.3g} times the breaking load" if factor else ""


def _strengthened(report: dict) -> str:
    factor = report.get("strengthened", 1.0)
    if factor <= 1.0:
        return ""
    return f"Break Anyway: impacts made {factor:.3g} times stronger, because nothing more than a chip broke off"


def _dust(report: dict) -> str:
    count = report.get("dust_count", 0)
    return f"Dust: {count:,} {_pieces(count)}, {report.get('dust_volume', 0.0):.2%} of the volume" if count else ""


def _pieces(count: int) -> str:
    return "piece" if count == 1 else "pieces"
