"""Fuzz tests of any size: ``python -m tests.fuzz --draws 1000 --seed 0``; exit code 1 where a draw fails."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests import compiled_code
from tests.fuzz.draws import described, draw
from tests.fuzz.runner import Result, Runner


def main() -> int:
    """Run the draws that the command line asks for, and return the exit code."""
    arguments = _arguments()
    compiled_code.keep()  # compilation takes 1 to 2 minutes of the first draws
    numbers = iter(range(arguments.first, arguments.first + arguments.draws))
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda _: _run(arguments, numbers), range(arguments.jobs)))
    results = [result for some in found for result in some]
    kinds = Counter(result.kind for result in results)
    slowest = max((result.seconds for result in results), default=0.0)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds))
    _say(f"{len(results)} draws: {counts}; the slowest took {slowest:.0f} s")
    return int(any(result.failed for result in results))


def _run(arguments: argparse.Namespace, numbers) -> list[Result]:
    """Run draws until none is left."""
    results = []
    with Runner(arguments.limit) as runner:
        for number in numbers:
            result = runner.run(arguments.seed, number, arguments.cells)
            results.append(result)
            _tell(arguments, result)
    return results


def _tell(arguments: argparse.Namespace, result: Result) -> None:
    scene = described(draw(arguments.seed, result.number, arguments.cells))
    _say(f"{result.number:5d} {result.kind:9s} {result.seconds:6.1f} s  {scene}")
    if result.text:
        _say("      " + result.text.strip().replace("\n", "\n      "))
    if result.failed:
        case = f"--seed {arguments.seed} --first {result.number} --cells {arguments.cells}"
        _say(f"      again: python -m tests.fuzz --draws 1 {case}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="how many draws")
    parser.add_argument("--seed", type=int, default=0, help="seed of the series")
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--cells", type=int, default=600, help="most cells of a draw")
    parser.add_argument("--limit", type=float, default=90.0, help="seconds of the processor that a draw may take")
    parser.add_argument("--jobs", type=int, default=1, help="draws that run at the same time")
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
