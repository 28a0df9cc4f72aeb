"""Events as a table in a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from ...core.data.errors import WorkerError
from ...core.data.events import KINDS, Events
from ...core.storage import files

COLUMNS = ("frame", "time_s", "x", "y", "z", "energy_J", "body", "kind")


def text(tables: Sequence[tuple[Events, Sequence[str]]], unit: float = 1.0) -> str:
    """Return events as CSV, in the order of time, with a line of titles.

    Args:
        tables: Events, and the names of their bodies by row.
        unit: Metres per unit of the points; the table is in metres.
    """
    lines = []
    for events, names in tables:
        for row in range(len(events)):
            place = [f"{unit * value:.6g}" for value in events.points[row]]
            body, kind = names[events.bodies[row]], KINDS[events.kinds[row]]
            time = float(events.times[row])
            lines.append(
                (time, [int(events.frames[row]), f"{time:.6f}", *place, f"{events.energies[row]:.6g}", body, kind])
            )
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(line for _, line in sorted(lines, key=lambda item: item[0]))
    return stream.getvalue()


def write(path: Path, table: str) -> None:
    """Write a table to a file, in place of an earlier one.

    Raises:
        WorkerError: The file cannot be written.
    """
    try:
        with files.replacing(path.resolve(), sync=True) as part:
            part.write_text(table, encoding="utf-8")
    except OSError as error:
        raise WorkerError(f"'{path}' cannot be written: {error.strerror or error}; choose another folder") from error
