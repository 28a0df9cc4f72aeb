"""Time without a sign of life of the worker: no line of progress, or no processor time."""

from __future__ import annotations

import time

from .processor_time import processor_time

# s after which the panel reports a worker without a sign of life, and one that computes without progress. A matter of
# taste: they affect only the panel.
SILENT_SECONDS, SLOW_SECONDS = 5, 15
# s without a sign of life after which a run ends. Heavy swapping still uses processor time.
DEADLINE_SECONDS = 120.0
# s of computing before the first line after which a run ends. Loading takes 1 to 20 s.
START_SECONDS = 300.0
# s, largest time that counts between two checks: in a longer time this process may have slept too.
LONGEST_LOOK = 1.0


class Watchdog:
    """Measures how long a process shows no sign of life.

    A line of progress is a sign of life. So is processor time, because library calls that hold Python's lock write no
    line for many seconds. If the system does not report processor time, the process counts as alive.

    Attributes:
        lifeless: s without a sign of life.
        stalled: s without a line of progress.
        has_started: Whether there was a line.
    """

    def __init__(self, pid: int):
        """Start to measure the process with this id."""
        self.lifeless = self.stalled = 0.0
        self.has_started = False
        self._pid, self._used = pid, processor_time(pid)
        self._looked = time.monotonic()

    def look(self, has_line: bool) -> None:
        """Update the times.

        Args:
            has_line: Whether the process wrote a line since the last look.
        """
        now, used = time.monotonic(), processor_time(self._pid)
        passed = min(now - self._looked, LONGEST_LOOK)
        is_alive = has_line or used is None or used != self._used
        self._looked, self._used = now, used
        self.has_started = self.has_started or has_line
        self.stalled = 0.0 if has_line else self.stalled + passed
        self.lifeless = 0.0 if is_alive else self.lifeless + passed

    @property
    def is_over(self) -> bool:
        """Whether the run has to end: no sign of life, or no first line, for too long."""
        return self.lifeless >= DEADLINE_SECONDS or (not self.has_started and self.stalled >= START_SECONDS)

    def note(self) -> str:
        """Return one line about a worker that is silent for long; else an empty string."""
        if self.lifeless >= SILENT_SECONDS:
            return f"The worker has not responded for {self.lifeless:.0f} s"
        if self.stalled >= SLOW_SECONDS:
            return f"Still computing, no progress for {self.stalled:.0f} s"
        return ""
