"""The process in which draws run. If a draw hangs, the process ends and writes where it was."""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

import numpy as np

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.fuzz import bodies, checks
from tests.fuzz.draws import draw

# Function that runs a draw: it takes seed, number and cells, and returns kind and text.
Outcome = Callable[[int, int, int], tuple[str, str]]


def serve(orders: Connection, trace: str, limit: float, run: Outcome | None = None, begin=None) -> None:
    """Run draws until the other end of the connection closes.

    Args:
        orders: Receives (seed, number, cells) and sends (kind, text, seconds). Sends ``True`` when it is ready.
        trace: Path of a file for the stack of a draw in which the process dies.
        limit: Most processor time of a draw, s; 0 for no limit.
        run: Function that runs a draw; default: ``outcome``.
        begin: Function that is called before the first draw; default: ``warm_up``.
    """
    with open(trace, "w", encoding="utf-8") as file:
        faulthandler.enable(file)
        if hasattr(signal, "SIGPROF"):
            faulthandler.register(signal.SIGPROF, file, all_threads=False, chain=True)
        (begin or warm_up)()
        orders.send(True)
        with contextlib.suppress(EOFError):
            while True:
                seed, number, cells = orders.recv()
                _limit(limit)
                start = time.process_time()
                kind, text = (run or outcome)(seed, number, cells)
                _limit(0.0)
                orders.send((kind, text, time.process_time() - start))


def outcome(seed: int, number: int, cells: int) -> tuple[str, str]:
    """What came of a draw: ``done`` or ``refused`` (with the message), or ``wrong`` with what is wrong."""
    job = draw(seed, number, cells)
    try:
        recording = simulate(job, lambda stage, share: None)
    except FractureError as error:
        wrong = checks.of_error(job, error)
        return ("wrong", wrong) if wrong else ("refused", str(error))
    except Exception:  # noqa: BLE001 - a traceback is what is looked for
        return "traceback", traceback.format_exc()
    found = list(checks.faults(job, recording))
    return ("wrong", "; ".join(found[:5])) if found else ("done", "")


def _limit(seconds: float) -> None:
    """End the process when it has used so much more time of a processor."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def warm_up() -> None:
    """Compile what draws take: it counts for none of them."""
    for method, dynamics in (
        ("network", "rigid"),
        ("lattice", "rigid"),
        ("lattice", "deformable"),
        ("fem", "rigid"),
        ("fem", "deformable"),
    ):
        settings = Settings.of(method=method, dynamics=dynamics, cell_count=100, softening=1e4)
        body = Body("block", shapes.box((0.1, 0.06, 0.08)), PORCELAIN, settings)
        job = Job((bodies.struck(np.random.default_rng(0), body, (1,)),), frame_end=2)
        arrays.digest(simulate(job, lambda stage, share: None))
