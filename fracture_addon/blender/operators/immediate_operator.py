"""Base class of operators that change the scene immediately."""

from __future__ import annotations

from typing import Any

from ...core.data.errors import FractureError
from ..process import missing_libraries
from .status import Status


class ImmediateOperator:
    """Operator that acts immediately and reports an error in one line."""

    bl_options: Any = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> Status:
        """Run ``act`` and report its error."""
        try:
            with missing_libraries.loaded():
                self.act(context)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def act(self, context: Any) -> None:
        """Change the scene.

        Raises:
            FractureError: The operation failed; the scene is unchanged.
        """
        raise NotImplementedError
