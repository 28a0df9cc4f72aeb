"""Engines that run command lines: the cores of this machine, and a Dask cluster."""

from __future__ import annotations

import os
import subprocess
import threading
import uuid
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from ..core.data.errors import SettingsError

# s, time in which a scheduler must answer.
CONNECT_SECONDS = 10


@dataclass(frozen=True)
class Ended:
    """The end of a command line.

    Attributes:
        number: Number of its run.
        code: Exit code; negative for the signal that killed it.
        words: Text that it wrote to standard error.
    """

    number: int
    code: int
    words: str


def run_on_cores(commands: Mapping[int, Sequence[str]], jobs: int) -> Generator[Ended, None, None]:
    """Run command lines in parallel on this machine.

    Args:
        commands: Command lines, by the numbers of their runs.
        jobs: Largest number of processes at a time. Each gets its share of the cores.

    Yields:
        The end of each command line, in the order in which they end. Closing the generator ends all processes.
    """
    threads = max(1, (os.cpu_count() or 1) // jobs)
    environment = os.environ | {"NUMBA_NUM_THREADS": str(threads)}
    running: set[subprocess.Popen[str]] = set()
    stop = threading.Event()

    def call(number: int) -> Ended:
        if stop.is_set():
            return Ended(number, 130, "")
        process = subprocess.Popen(
            commands[number], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", env=environment,
        )  # fmt: skip
        running.add(process)
        if stop.is_set():
            process.terminate()
        words = process.communicate()[1]
        running.discard(process)
        return Ended(number, process.returncode, words)

    pool = ThreadPoolExecutor(jobs)
    try:
        for future in as_completed([pool.submit(call, number) for number in commands]):
            yield future.result()
    finally:
        stop.set()
        for process in list(running):
            process.terminate()
        pool.shutdown(cancel_futures=True)


def run_on_dask(commands: Mapping[int, Sequence[str]], address: str) -> Generator[Ended, None, None]:
    """Run command lines on the workers of a Dask cluster. Every worker must see the same files under the same paths.

    When a worker dies, the scheduler gives its runs to others. The lock of a run (``results.locked``) stops the
    process that the dead worker left behind and its successor from executing the run at the same time.

    Args:
        commands: Command lines, by the numbers of their runs.
        address: Address of the scheduler, such as ``tcp://host:8786``.

    Raises:
        SettingsError: Dask is not installed, or no scheduler answers.
    """
    try:
        import distributed
    except ImportError:
        raise SettingsError("--dask needs the package distributed; install it with: pip install distributed") from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"--dask {address}: no scheduler answers ({error}); start one with: dask scheduler"
        ) from error
    sweep = uuid.uuid4().hex
    with client:
        # The task is a function of Python itself, so a worker needs none of this package's modules.
        futures = {
            client.submit(
                subprocess.run, list(command), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", key=f"fracture-{sweep}-{number}", pure=False,
            ): number
            for number, command in commands.items()
        }  # fmt: skip
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield _dask_end(futures[future], future)
        finally:
            client.cancel(list(futures))


def _dask_end(number: int, future: Any) -> Ended:
    error = future.exception()
    if error is not None:
        return Ended(number, 1, f"the cluster lost the run ({error})")
    process = future.result()
    return Ended(number, process.returncode, process.stderr)
