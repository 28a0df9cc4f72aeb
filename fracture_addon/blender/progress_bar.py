"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import TextIO

WIDTH = 30
# Elsewhere than on a terminal, a line every so much of the run.
STEP = 0.1


class ProgressBar:
    """Shows the stage, a bar and a percentage; a context manager that ends its line."""

    def __init__(self, stream: TextIO):
        """Args: stream: Where to; whether it is a terminal decides on the form."""
        self._stream, self._is_terminal = stream, stream.isatty()
        self._stages: set[str] = set()
        self._share = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._is_terminal and self._stages:
            self._stream.write("\n")
            self._stream.flush()

    def show(self, stage: str, share: float) -> None:
        """Show that ``share`` (0 to 1) of the run is done, in ``stage``."""
        if self._is_terminal:
            done = int(WIDTH * share)
            bar = "#" * done + "-" * (WIDTH - done)
            self._stream.write(f"\r{stage:<12} [{bar}] {share:4.0%}")
        elif stage not in self._stages or share - self._share >= STEP:
            self._stream.write(f"{stage} {share:.0%}\n")
            self._share = share
        else:
            return
        self._stages.add(stage)
        self._stream.flush()
