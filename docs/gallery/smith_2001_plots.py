"""Measure and draw figures 12 and 13 of smith_2001.md; takes some minutes, and matplotlib (``pip install .[plots]``).

python docs/gallery/smith_2001_plots.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
NAMES = ("smith_2001_figures_12_13",)
PICTURE = FOLDER / f"{NAMES[0]}.jpg"
PANELS = (
    ("12: an impact step", {"step_point": "the paper's network", "step_full": "full bonds, a solve"}),
    ("13: surfaces of the fragments", {"fragments": "full bonds, twice the critical load"}),
)


def main() -> None:
    """Measure with one thread, so that processor seconds are seconds of a machine with nothing else to do, and draw."""
    os.environ.update(OPENBLAS_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    sys.path.insert(0, str(FOLDER.parents[1]))
    from benchmarks import smith_2001

    draw(list(smith_2001.rows()))


def draw(rows: Sequence[Any]) -> None:
    """Draw both figures side by side, from rows of ``benchmarks``, with the sizes of the paper's models marked."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from tests.papers.smith_scenes import PAPER_SIZES

    least = min(constraints for _, constraints in PAPER_SIZES.values())
    figure, axes = pyplot.subplots(1, 2, figsize=(10.0, 3.8), dpi=100)
    for panel, (title, curves) in zip(axes, PANELS, strict=True):
        for name, label in curves.items():
            points = [(row.size, row.value) for row in rows if row.name == name]
            panel.loglog(*zip(*points, strict=True), "o-", label=label)
        for model, (_, constraints) in PAPER_SIZES.items():
            panel.axvline(constraints, color="grey", linewidth=0.8, linestyle=":")
            side = "right" if constraints == least else "left"
            panel.text(constraints, 1.01, model, fontsize=7, ha=side, transform=panel.get_xaxis_transform())
        panel.set_title(title, pad=16)
        panel.set_xlabel("constraints")
        panel.set_ylabel("processor seconds")
        panel.set_xlim(700, 3e5)
        panel.set_ylim(5e-4, 10.0)
        panel.grid(alpha=0.3, which="both", linewidth=0.4)
        panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(PICTURE, pil_kwargs={"quality": 88})


if __name__ == "__main__":
    main()
