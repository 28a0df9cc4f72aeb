"""What operators have in common that change the scene at once."""

from __future__ import annotations

from typing import Any

from ...core.data.errors import FractureError
from .. import libraries


class AtOnce:
    """Does its work when its button is pressed, or says in one line why that cannot be done."""

    bl_options: Any = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Do it, and report what hinders it."""
        try:
            with libraries.loaded():
                self.act(context)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def act(self, context) -> None:
        """Change the scene.

        Raises:
            FractureError: It cannot be done; the scene is as it was.
        """
        raise NotImplementedError
