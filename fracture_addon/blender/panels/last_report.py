"""The report that a result carries, in the artist's words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

import bpy

from .. import results

# A sum of volumes that differs by less is the rounding of numbers, not a hole.
EXACT = 1e-6


@dataclass(frozen=True)
class Line:
    """A line of the panel; a warning comes with its remedy."""

    text: str
    is_warning: bool = False


def lines(obj: bpy.types.Object) -> tuple[Line, ...]:
    """What the last run of an object, or of the object that a piece came from, had to say; empty without one."""
    around = obj.users_collection if results.SOURCE in obj else (results.collection_of(obj),)
    texts = [collection[results.REPORT] for collection in around if collection and results.REPORT in collection]
    return _lines(texts[0]) if texts else ()


# A panel is drawn many times a second: each text is read once.
@lru_cache(maxsize=8)
def _lines(text: str) -> tuple[Line, ...]:
    try:
        report = json.loads(text)
    except ValueError:
        return (Line("The report of this result cannot be read; press Shatter again", True),)
    said = [Line(part) for part in (_counts(report), _load(report), _dust(report), report.get("repair")) if part]
    return (*said, *(Line(warning, True) for warning in report.get("warnings", ())))


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
    return f"Struck with {factor:.3g} times the load that breaks it" if factor else ""


def _dust(report: dict) -> str:
    count = report.get("dust_count", 0)
    return f"{count:,} crumbs, {report.get('dust_volume', 0.0):.2%} of the volume" if count else ""
