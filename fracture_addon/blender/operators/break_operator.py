"""Base class of the operators that break objects."""

from __future__ import annotations

from typing import Any

from ..process import run
from ..scene.result_lookup import collection_of
from ..setup import hints
from ..write import playhead
from .run_operator import RunOperator


class BreakOperator(RunOperator):
    """Simulate the break, bake it, and show its frame."""

    task = "recording"
    doing = "Shattering"

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Bake the recording, and move the playhead to the break."""
        objects = finished.objects(context)
        hints.done("VARY" if any(map(collection_of, objects)) else "SHATTER")
        finished.bake(context)
        playhead.go_to_break(context, objects)
