"""A plan for tests, and a command that executes its runs without simulating anything."""

import json
import sys
from pathlib import Path

from fracture_addon.farm.plan import Plan, Run

# Waits, notes that it ran, and writes a report; run 3 fails.
SCRIPT = """
import json, os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fracture_addon.farm import results
number = int(sys.argv[3])
def execute(place):
    time.sleep(float(sys.argv[4]))
    if number == int(sys.argv[5]):
        sys.exit("it broke")
    (place / f"{os.getpid()}.ran").touch()
    (place / "report.json").write_text(json.dumps({"bodies": []}))
    return 0, ""
sys.exit(results.execute_once(Path(sys.argv[2]), number, execute))
"""
ROOT = Path(__file__).resolve().parents[2]


def plan(count: int) -> Plan:
    """A plan of a wedge with one setting."""
    return Plan("wedge", "jar", {}, tuple(Run(number, {"seed": number}, ()) for number in range(1, count + 1)), False)


def commands(folder: Path, count: int, seconds: float = 0.0, bad: int = 0) -> dict[int, list[str]]:
    """Command lines that stand for runs."""
    return {
        number: [sys.executable, "-c", SCRIPT, str(ROOT), str(folder), str(number), str(seconds), str(bad)]
        for number in range(1, count + 1)
    }


def write_report(folder: Path, number: int, **figures) -> None:
    """The report of a run that is done."""
    place = folder / "runs" / f"{number:05d}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "report.json").write_text(json.dumps({"seconds": {"simulating": 1.5}, "bodies": [figures]}))
