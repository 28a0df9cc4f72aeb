"""``python -m benchmarks [topic ...] [--json]``: print a row a figure."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys

# One thread of linear algebra, as in the worker; to be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import benchmarks
from benchmarks import Row


def main() -> None:
    """Run the wanted topics, all of them by default."""
    topics = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed; medians, warm.")
    parser.add_argument("topic", nargs="*", help=f"any of {', '.join(topics)}; default all")
    parser.add_argument("--json", action="store_true", help="one object a line")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.topic) - set(topics))
    if unknown:
        parser.error(f"no topic {', '.join(unknown)}: choose from {', '.join(topics)}")
    for topic in arguments.topic or topics:
        for row in importlib.import_module(f"benchmarks.{topic}").rows():
            print(_as_json(row) if arguments.json else _as_text(row), flush=True)


def _as_json(row: Row) -> str:
    return json.dumps({**vars(row), "ratio": row.ratio})


def _as_text(row: Row) -> str:
    compared = "" if row.baseline is None else f"   baseline {row.baseline:.4g} {row.unit}, ratio {row.ratio:.2f}"
    return f"{row.name:<32}{row.size:>10}{row.value:>12.4g} {row.unit}{compared}"


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The reader has had enough, as ``head`` has: there is nobody to tell, and nothing left to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
