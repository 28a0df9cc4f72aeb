"""Table of the runs of a plan, as CSV and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.storage import files
from . import results
from .plan import Plan

CSV, PARQUET = "table.csv", "table.parquet"
# Figures of each body in the report: their columns, and how those of several bodies combine.
FIGURES: Mapping[str, Callable[[list[float]], float]] = {
    "cells": sum,
    "fragments": sum,
    "dust_count": sum,
    "breaks": sum,
    "volume_error": max,
    "load_factor": max,
}


def rows(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """Return one row for each run, in order of the numbers; figures of runs that are not done are ``None``."""
    found = []
    for run in plan.runs:
        row: dict[str, Any] = {"run": run.number, **run.values, "state": results.state(folder, run.number)}
        report = results.report(folder, run.number) or {}
        bodies = report.get("bodies", [])
        for name, combine in FIGURES.items():
            values = [abs(body[name]) for body in bodies if name in body]
            row[name] = combine(values) if values else None
        row["seconds"] = report.get("seconds", {}).get("simulating")
        row["warnings"] = "; ".join(warning for body in bodies for warning in body.get("warnings", ()))
        failure = None if report else results.failure(folder, run.number)
        row["message"] = failure["message"] if failure else ""
        found.append(row)
    return found


def write(table: Sequence[dict[str, Any]], folder: Path) -> list[Path]:
    """Write the table as CSV, and as Parquet where pyarrow is installed.

    Returns:
        The paths of the files.

    Raises:
        OSError: A file cannot be written.
    """
    paths = [folder / CSV]
    with files.replacing(paths[0]) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return paths
    paths.append(folder / PARQUET)
    with files.replacing(paths[1]) as part:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(table), part)
    return paths
