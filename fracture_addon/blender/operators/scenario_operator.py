"""What operators have in common that put the selected objects into a scene that breaks them."""

from __future__ import annotations

from .. import settings
from .at_once import AtOnce
from .availability import editing, lacking, usable


class ScenarioOperator(AtOnce):
    """Sets up something around the objects that Shatter would break."""

    @classmethod
    def poll(cls, context):
        """In object mode, on at least one mesh."""
        nothing = lacking(settings.chosen(settings.selection(context)), "Select a mesh to break")
        return usable(cls, editing(context), nothing)

    def act(self, context):
        """Set it up."""
        self.set_up(context, settings.chosen(settings.selection(context)))

    def set_up(self, context, objects) -> None:
        """Set it up around some objects.

        Raises:
            FractureError: They cannot be used.
        """
        raise NotImplementedError
