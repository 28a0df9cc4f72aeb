"""Base class of operators that set up a load on the selected objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..read import settings
from ..read.joints import with_joined
from .availability import editing, unless, usable
from .immediate_operator import ImmediateOperator


class ScenarioOperator(ImmediateOperator):
    """Set up a scenario for the objects that Shatter would break."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether an object to break is selected, in object mode."""
        nothing = unless(settings.chosen(settings.selection(context)), "Select a mesh to break")
        return usable(cls, editing(context), nothing)

    def act(self, context: Any) -> None:
        """Set up the scenario for the selected objects."""
        self.set_up(context, with_joined(context, settings.chosen(settings.selection(context))))

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> None:
        """Set up the scenario for some objects.

        Raises:
            FractureError: The objects cannot be used.
        """
        raise NotImplementedError
