"""``python -m benchmarks [topic ...] [--json] [--write]``: measure, and print one row per figure."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys

import benchmarks
from benchmarks import Row, _document


def main() -> None:
    """Run the given topics, by default all of them."""
    topics = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name[0] != "_")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed; medians, warm.")
    parser.add_argument("topic", nargs="*", help=f"any of {', '.join(topics)}; default all")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.add_argument("--write", action="store_true", help="also write the rows to docs/measurements.md")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.topic) - set(topics))
    if unknown:
        parser.error(f"no topic {', '.join(unknown)}: choose from {', '.join(topics)}")
    for topic in arguments.topic or topics:
        rows = []
        for row in importlib.import_module(f"benchmarks.{topic}").rows():
            print(_as_json(row) if arguments.json else _as_text(row), flush=True)
            rows.append(row)
        if arguments.write and rows:
            _document.write(topic, rows)


def _as_json(row: Row) -> str:
    return json.dumps({**vars(row), "ratio": row.ratio})


def _as_text(row: Row) -> str:
    compared = "" if row.baseline is None else f"   baseline {row.baseline:.4g} {row.unit}, ratio {row.ratio:.2f}"
    return f"{row.name:<32}{row.size:>10}{row.value:>12.4g} {row.unit}{compared}"


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The reader, such as ``head``, has closed the pipe. Python's own flush at exit would fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
