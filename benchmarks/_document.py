"""The generated part of docs/measurements.md: one section per topic, with date, machine and rows."""

from __future__ import annotations

import datetime
import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks import Row

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "measurements.md"
START, END = "<!-- generated: python -m benchmarks --write -->\n", "<!-- end of generated -->"


def write(topic: str, rows: Sequence[Row], document: Path = DOCUMENT) -> None:
    """Replace the section of a topic, or add it; other topics stay."""
    before, _, rest = document.read_text(encoding="utf-8").partition(START)
    generated, _, after = rest.partition(END)
    found = re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", generated, re.MULTILINE | re.DOTALL)
    sections = {name: text.strip() for name, text in found} | {topic: _section(rows)}
    text = "".join(f"\n### {name}\n\n{sections[name]}\n" for name in sorted(sections))
    document.write_text(f"{before}{START}{text}\n{END}{after}", encoding="utf-8")


def machine() -> str:
    """Cores, processor architecture, system and Python, without a name."""
    return f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


def _section(rows: Sequence[Row]) -> str:
    lines = [f"{datetime.date.today()}, {machine()}.", ""]
    lines += ["| row | size | value | unit | baseline | ratio |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *map(_line, rows)])


def _line(row: Row) -> str:
    baseline, ratio = ("", "") if row.baseline is None else (f"{row.baseline:.4g}", f"{row.ratio:.2f}")
    return f"| `{row.name}` | {row.size:,} | {row.value:.4g} | {row.unit} | {baseline} | {ratio} |"
