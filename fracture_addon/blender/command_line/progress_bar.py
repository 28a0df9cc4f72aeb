"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from typing import TextIO

from ..process.job_process import Progress

# Characters of the bar.
WIDTH = 30
# Fraction of the run between two lines, if the output is not a terminal.
STEP = 0.1


class ProgressBar:
    """Shows the stage, a bar and a percentage; a context manager that ends its line."""

    def __init__(self, stream: TextIO):
        """Write to a stream: a bar on a terminal, else plain lines."""
        self._stream, self._is_terminal = stream, stream.isatty()
        self._stages: set[str] = set()
        self._share, self._note, self._width = 0.0, "", 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal and self._stages:
            self._stream.write("\n")
            self._stream.flush()

    def show_progress(self, progress: Progress) -> None:
        """Show the progress of a run."""
        self.show(progress.stage, progress.share, progress.note)

    def show(self, stage: str, share: float, note: str = "") -> None:
        """Show progress.

        Args:
            stage: Current stage.
            share: Completed fraction of the run, 0 to 1.
            note: One line about a silent worker, or empty. Plain lines mention only the first one.
        """
        if self._is_terminal:
            done = int(WIDTH * share)
            bar = "#" * done + "-" * (WIDTH - done)
            text = f"{stage:<12} [{bar}] {share:4.0%}" + (f"  {note}" if note else "")
            # Blanks overwrite the rest of a longer line.
            self._stream.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        else:
            if note and not self._note:
                self._stream.write(f"{stage}: {note}\n")
            if stage not in self._stages or share - self._share >= STEP:
                self._stream.write(f"{stage} {share:.0%}\n")
                self._share = share
        self._note = note
        self._stages.add(stage)
        self._stream.flush()
