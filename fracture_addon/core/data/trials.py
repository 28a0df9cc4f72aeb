"""Results of trials that search for the threshold of a deformable body."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = ("crumbles", "breaks", "survives")


@dataclass(frozen=True)
class Trial:
    """What became of a cylinder.

    Attributes:
        factor: Of its thresholds.
        outcome: ``crumbles``, ``breaks`` or ``survives``.
        largest: Share of the mass that the largest piece has.
        crumbs: Share that crumbs have.
    """

    factor: float
    outcome: str
    largest: float
    crumbs: float


@dataclass(frozen=True)
class Trials:
    """One row of trials a body of the job, from weak to strong."""

    bodies: tuple[tuple[Trial, ...], ...]
