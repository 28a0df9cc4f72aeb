"""What operators have in common that put the selected objects into a scene that breaks them."""

from __future__ import annotations

from ...core.errors import FractureError
from .. import settings
from .availability import editing, lacking, usable


class ScenarioOperator:
    """Sets up something around the objects that Shatter would break."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """In object mode, on at least one mesh."""
        nothing = lacking(settings.chosen(settings.selection(context)), "Select a mesh to break")
        return usable(cls, editing(context), nothing)

    def execute(self, context):
        """Set it up, or say why that cannot be done."""
        try:
            self.set_up(context, settings.chosen(settings.selection(context)))
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def set_up(self, context, objects) -> None:
        """Set it up around some objects.

        Raises:
            FractureError: They cannot be used.
        """
        raise NotImplementedError
