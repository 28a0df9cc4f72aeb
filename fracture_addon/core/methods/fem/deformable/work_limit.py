"""Limit of the explicit steps in a shot. After it is reached, all steps are semi-implicit and long."""

from __future__ import annotations

# Most checks of all elements per frame, averaged over the shot. Each check follows one or a few steps. Measured on
# glass, 0.2 m long, 600 cells, 24 frames per second, default softening: 300 checks per frame while waves are resolved,
# 8 at rest; a check of 600 elements takes 2 to 7 ms.
CHECKS_A_FRAME = 400.0
# A thin body with few cells can have seven times the wanted elements. Its limit is that of a body with the wanted
# number, or with this number if that is larger. The checks above were measured with this number.
FEWEST_ELEMENTS = 600


class WorkLimit:
    """Checks of elements for all bodies of a scene.

    Attributes:
        spent: Number of checks so far.

    Args:
        frames: Number of frames of the shot.
        asked: Number of wanted cells of all bodies, from their settings.
        element_count: Elements of all bodies before they crack. A check of this many elements counts as one; or a check
            of the larger of ``asked`` and ``FEWEST_ELEMENTS``, if that is fewer.
    """

    def __init__(self, frames: int, asked: int, element_count: int):
        self._most, self.spent = CHECKS_A_FRAME * frames, 0.0
        self._element_count = max(min(element_count, max(asked, FEWEST_ELEMENTS)), 1)

    def spend(self, element_count: int) -> None:
        """Count a check of ``element_count`` elements."""
        self.spent += element_count / self._element_count

    @property
    def is_spent(self) -> bool:
        """Whether the limit is reached."""
        return self.spent >= self._most
