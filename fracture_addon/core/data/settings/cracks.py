"""Settings for the load of an impact and for the growth of cracks."""

from __future__ import annotations

from dataclasses import dataclass

from .setting import Group, setting


@dataclass(frozen=True)
class CrackSettings(Group):
    """Load of impacts and growth of cracks.

    Attributes:
        impact_schedule: Load over time, as pairs of time and load. Times are fractions of the duration and rise from 0
            to 1. Loads are 0 or more, in any unit; the impulse does not depend on them. Empty for the symmetric
            triangle of Smith et al. 2001.
    """

    violence: float = setting(
        1.0,
        "Violence",
        "Multiplies the load of every impact. 1 is the physical load. "
        "Raise it for more pieces, lower it for fewer. "
        "The report gives the peak load as a multiple of the breaking load",
        low=0.0,
        soft=(None, 5.0),
        precision=2,
        step=10,
    )
    crack_function: str = setting(
        "lobe",
        "Crack-Tip Weakening",
        "How a broken face weakens the faces next to it. Change it to compare with Smith et al. 2001. "
        "Only for the method Network",
        choices=(
            (
                "lobe",
                "Ahead",
                "Weaken the faces ahead of the crack. Crack Growth sets by how much, Straightness how narrowly",
            ),
            ("none", "None", "No weakening. New cracks start everywhere"),
            ("moderate", "Moderate", "Weaken faces ahead and across, at most to a half (Smith et al. 2001)"),
            (
                "moderate_as_printed",
                "Moderate, as Printed",
                "The formula exactly as printed by Smith et al. 2001, which also strengthens some faces. "
                "For comparison only",
            ),
            ("dramatic", "Dramatic", "Weaken faces ahead and across, at most to a thousandth (Smith et al. 2001)"),
        ),
    )
    crack_growth: float = setting(
        0.7,
        "Crack Growth",
        "How much a broken face weakens the faces ahead of it, 0 to 1. "
        "Raise it for long cracks, lower it for many short ones. Only for the method Network",
        low=0.0,
        high=1.0,
        unit="fraction",
    )
    crack_sharpness: float = setting(
        4.0,
        "Straightness",
        "How narrow the range of directions is in which a crack weakens the faces ahead. "
        "Raise it for straighter cracks. "
        "Only for the method Network",
        low=0.5,
        high=32.0,
        precision=1,
    )
    impact_schedule: tuple[tuple[float, float], ...] = ()
