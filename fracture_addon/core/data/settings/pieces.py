"""Settings for the fragments of a break: their number, dust and velocities."""

from __future__ import annotations

from dataclasses import dataclass

from ..placed_fields import PaintedField
from .filling import MOST_CELLS
from .setting import Group, setting


@dataclass(frozen=True)
class Dust:
    """Treatment of pieces smaller than the dust volume: one of three.

    Attributes:
        merges: They join the neighbour with which they share the largest area.
        drops: They vanish.
        flies: They become debris.
    """

    merges: bool = False
    drops: bool = False
    flies: bool = False


# Treatment of dust, by ``PieceSettings.dust``.
DUST = {"merge": Dust(merges=True), "drop": Dust(drops=True), "debris": Dust(flies=True)}


@dataclass(frozen=True)
class PieceSettings(Group):
    """Fragments of a break.

    Attributes:
        painted_dust: Weights painted on the surface; cells with more than half become dust, or ``None``. Its factor has
            no effect.
    """

    piece_count: int = setting(
        0,
        "Pieces",
        "Number of pieces from the first break, without dust. "
        "0 lets the load determine it; then it changes with the seed. Set it when you need a certain number",
        low=0,
        high=MOST_CELLS,
        soft=(None, 500),
    )
    dust: str = setting(
        "merge",
        "Dust",
        "What happens to pieces smaller than the dust volume. Choose debris for small pieces that fly",
        choices=(
            ("merge", "Merge", "Each dust piece stays attached to the neighbour with which it shares the largest area"),
            ("drop", "Drop", "Dust pieces are removed when they break off. Their volume is lost"),
            (
                "debris",
                "Debris",
                "Dust pieces become debris that flies, bounces off colliders and rests on them",
            ),
        ),
    )
    dust_volume: float = setting(
        0.00025,
        "Dust Volume Limit",
        "Pieces below this fraction of the object's volume are dust, and so are pieces of only a few cells. "
        "Raise it if there are too many small pieces; 0 for no dust",
        low=0.0,
        high=0.5,
        soft=(None, 0.02),
        precision=5,
        step=0.01,
    )
    velocity_fit: str = setting(
        "momentum",
        "Velocities",
        "How pieces get their velocities from an impact. Change it only to compare with Smith et al. 2001",
        choices=(
            ("momentum", "Momentum", "Each piece keeps the momentum that the impact gave to its cells"),
            (
                "centroids",
                "Fit to Three Cells",
                "Fit the velocity to the centroids of three cells of each piece (Smith et al. 2001). "
                "This does not conserve momentum. For comparison only",
            ),
        ),
    )

    painted_dust: PaintedField | None = None

    @property
    def dust_rule(self) -> Dust:
        """Treatment of dust."""
        return DUST[self.dust]

    @property
    def merged_below(self) -> float:
        """Fraction of the object's volume below which pieces join a neighbour."""
        return self.dust_volume if self.dust_rule.merges else 0.0
