"""How long a worker has been silent: no line of progress, or not even processor time."""

from __future__ import annotations

import time

from .processor_time import processor_time

# The panel mentions a worker without a sign of life for this long, s, and one that computes without progress.
SILENT_SECONDS, SLOW_SECONDS = 5, 15
# A run ends when its worker gave no sign of life for this long, s. Heavy swapping still uses processor time.
DEADLINE_SECONDS = 120.0
# s; a longer time between two looks counts as this much: the worker was not watched, or this process slept as well.
LONGEST_LOOK = 1.0


class Watch:
    """Measures the silence of a process.

    A line of progress is a sign of life, and so is processor time: library calls that hold Python's lock write no line
    for many seconds. Where the system does not tell the processor time, the process counts as alive.

    Attributes:
        lifeless: Seconds without a sign of life.
        stalled: Seconds without a line.
    """

    def __init__(self, pid: int):
        """Begin now. Args: pid: Process id."""
        self.lifeless = self.stalled = 0.0
        self._pid, self._used = pid, processor_time(pid)
        self._looked = time.monotonic()

    def look(self, has_line: bool) -> None:
        """Take another look.

        Args:
            has_line: Whether the process wrote a line since the last look.
        """
        now, used = time.monotonic(), processor_time(self._pid)
        passed = min(now - self._looked, LONGEST_LOOK)
        is_alive = has_line or used is None or used != self._used
        self._looked, self._used = now, used
        self.stalled = 0.0 if has_line else self.stalled + passed
        self.lifeless = 0.0 if is_alive else self.lifeless + passed

    def note(self) -> str:
        """One line for the artist about a long silence; empty without one."""
        if self.lifeless >= SILENT_SECONDS:
            return f"The worker has not responded for {self.lifeless:.0f} s"
        if self.stalled >= SLOW_SECONDS:
            return f"Still computing, no progress for {self.stalled:.0f} s"
        return ""
