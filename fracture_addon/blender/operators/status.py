"""Type of the values that an operator returns to Blender."""

from __future__ import annotations

from typing import Literal

Status = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
