"""Limit of the explicit steps in a shot. When it is reached, all further steps are semi-implicit and long."""

from __future__ import annotations

# Most checks of all elements per frame, averaged over the shot. Each check follows one or a few steps. Measured on
# glass, 0.2 m long, 600 cells, 24 frames per second, default softening: 300 checks per frame while waves are resolved,
# 8 at rest; a check of 600 elements takes 2 to 7 ms.
CHECKS_A_FRAME = 400.0
# A thin body with few cells can have seven times the elements that were asked for. Its limit is that of a body with the
# number asked for, but at least with this number, on which the checks above were measured.
FEWEST_ELEMENTS = 600


class WorkLimit:
    """Checks of elements that remain for all bodies of a scene.

    Args:
        frames: Number of frames of the shot.
        asked: Number of cells that the settings of all bodies ask for.
        element_count: Elements of all bodies before they crack. A check of that many elements counts as one; if fewer
            were asked for, a check of ``asked`` elements, or of ``FEWEST_ELEMENTS``, counts as one.
    """

    def __init__(self, frames: int, asked: int, element_count: int):
        self._left = CHECKS_A_FRAME * frames
        self._element_count = max(min(element_count, max(asked, FEWEST_ELEMENTS)), 1)

    def spend(self, element_count: int) -> None:
        """Count a check of ``element_count`` elements."""
        self._left -= element_count / self._element_count

    @property
    def is_spent(self) -> bool:
        """Whether the limit is reached."""
        return self._left <= 0.0
