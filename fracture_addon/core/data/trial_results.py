"""Results of trials that search for the breaking threshold of a deformable body."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = ("crumbles", "breaks", "survives")


@dataclass(frozen=True)
class Trial:
    """Result of one trial.

    Attributes:
        factor: Breaking threshold of the trial over that of the material.
        outcome: One of ``OUTCOMES``.
        largest: Mass of the largest fragment over the whole mass.
        dust: Mass of the dust over the whole mass.
    """

    factor: float
    outcome: str
    largest: float
    dust: float


@dataclass(frozen=True)
class Trials:
    """Trials of each body of the job, in its order, by rising factor."""

    bodies: tuple[tuple[Trial, ...], ...]
