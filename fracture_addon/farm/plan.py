"""A plan: the list of runs of a sweep or of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# A value of a setting.
Value = bool | int | float | str


@dataclass(frozen=True)
class Run:
    """One command line.

    Attributes:
        number: Number of the run, from 1.
        values: Values that differ between runs, by the name of the setting.
        arguments: Arguments of the command, without those that name its outputs.
    """

    number: int
    values: Mapping[str, Value]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep or of a data set.

    Attributes:
        command: Command that executes each run: ``wedge`` or ``dataset``.
        title: Name for the page of results.
        inputs: SHA-256 digests of the files that the runs read, by path.
        runs: The runs, in order of their numbers.
        pictures: Whether each run renders a contact sheet.
    """

    command: str
    title: str
    inputs: Mapping[str, str]
    runs: tuple[Run, ...]
    pictures: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the plan in types that JSON can write."""
        return asdict(self)


def from_json(content: Mapping[str, Any]) -> Plan:
    """Return the plan of ``Plan.as_json``.

    Raises:
        KeyError, TypeError: The content is not a plan.
    """
    runs = tuple(Run(run["number"], run["values"], tuple(run["arguments"])) for run in content["runs"])
    return Plan(content["command"], content["title"], content["inputs"], runs, content["pictures"])


def digests(paths: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 digests of files, by path.

    Raises:
        OSError: A file cannot be read.
    """
    result = {}
    for path in paths:
        with open(path, "rb") as file:
            result[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
    return result
