"""Child processes with faults: they hang, sleep or die."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

from tests.fuzz import child


def hangs(orders: Connection, trace: str, limit: float) -> None:
    """Draws with an odd number never end."""
    _serve(orders, trace, limit, _hang)


def sleeps(orders: Connection, trace: str, limit: float) -> None:
    """Draws with an odd number sleep, and use no processor time."""
    _serve(orders, trace, limit, lambda: time.sleep(600.0))


def dies(orders: Connection, trace: str, limit: float) -> None:
    """Draws with an odd number end the process."""
    _serve(orders, trace, limit, os.abort)


def _hang() -> None:
    end = time.monotonic() + 600.0
    while time.monotonic() < end:
        pass


def _serve(orders: Connection, trace: str, limit: float, fail) -> None:
    def outcome(seed: int, number: int, cells: int) -> tuple[str, str]:
        if number % 2:
            fail()
        return "done", ""

    child.serve(orders, trace, limit, outcome, lambda: None)
