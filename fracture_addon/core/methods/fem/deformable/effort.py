"""A limit on the work of a scene that deforms: small steps follow waves and cracks only as long as it lasts."""

from __future__ import annotations

# Looks at all elements that a frame may take, on average over the shot; every look follows one or a few steps. Of
# glass 0.2 m long in 600 cells, 24 frames a second and the usual softening, waves take 300 looks a frame while they
# are followed; at rest it takes 8. A look at 600 elements takes 2 to 7 ms (measured).
LOOKS_A_FRAME = 400.0


class Effort:
    """What the bodies of a scene may spend on looks.

    Args:
        frames: Of the shot.
        element_count: Of all bodies before they crack: a look at so many elements counts for one.
    """

    def __init__(self, frames: int, element_count: int):
        self._left, self._element_count = LOOKS_A_FRAME * frames, max(element_count, 1)

    def spend(self, element_count: int) -> None:
        """Count a look at so many elements."""
        self._left -= element_count / self._element_count

    @property
    def is_spent(self) -> bool:
        """Whether only long steps are left."""
        return self._left <= 0.0
