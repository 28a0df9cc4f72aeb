"""Make the pictures of smith_2001.md: all of them, or those named.

python docs/gallery/smith_2001.py [NAME ...]
"""

# ruff: noqa: E402 - the project is found, and one thread asked for, before anything else is imported
from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

import numpy as np
import stage
from names import chosen

from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.job import Job, Settings
from fracture_addon.core.data.surface import Surface, mass_properties, volume
from fracture_addon.core.timeline.timeline import simulate
from tests.papers import smith_scenes as scenes

TERRACOTTA_HUE, GLASS_HUE, CERAMIC_HUE, BALL = 0.05, 0.5, 0.1, (0.03, 0.03, 0.06)
# Share of the load of the fall that the pots get: a little more, and both break all over.
POT_VIOLENCE = 1.0
BONDS = {"full": "full bonds", "point": "the paper's network"}


def figure_1() -> None:
    """The pot whole, built of one coil, and alike all over."""
    surface, count = scenes.pot_surface(), scenes.PAPER_SIZES["pot"][0]
    whole = stage.Solid(surface, stage.fragment_color(0, TERRACOTTA_HUE, 0.0))
    tiles = [("whole", stage.picture([whole], (0.6, -1.0, 0.5)))]
    names = {"coil": "strength alternates along the axis", "turbulence": "mild turbulence"}
    for strengths, bonds in (("coil", "full"), ("turbulence", "full"), ("coil", "point")):
        settings = scenes.pot_settings(strengths, count, bonds)
        job = scenes.falling(surface, scenes.EARTHENWARE, settings, 0.6, 0.3, 36)
        tiles.append(_last(job, f"{names[strengths]}, {BONDS[bonds]}", TERRACOTTA_HUE))
    rows = [tiles[:2], tiles[2:]]
    stage.sheet(rows, FOLDER / "smith_2001_figure_1.jpg")


def figures_4_9() -> None:
    """The plank: where its cracks are, from above, and its fragments drawn apart, for three growth functions."""
    solid = scenes.solid_of(scenes.PLANK, scenes.PAPER_SIZES["plank"][0])
    rows = []
    for bonds in ("point", "full"):
        above, apart = [], []
        for growth in scenes.GROWTHS:
            struck = scenes.plank(solid, growth, bonds)
            size = (480, 170)
            above.append(("", stage.picture(_spread(struck, 0.0), (0.0, -0.001, 1.0), size=size, floor=None)))
            words = f"growth {growth}, {BONDS[bonds]}: {struck.fragment_count} fragments"
            apart.append((words, stage.picture(_spread(struck, 0.5), (0.25, -1.0, 0.9), size=(480, 220), floor=-0.02)))
        rows += [above, apart]
    stage.sheet(rows, FOLDER / "smith_2001_figures_4_9.jpg")


def figure_11() -> None:
    """Three wine glasses that differ in the function of their strength."""
    surface, count = scenes.glass_surface(), scenes.PAPER_SIZES["glass"][0]
    row = []
    for strengths in scenes.GLASS_STRENGTHS:
        job = scenes.falling(surface, scenes.GLASS, scenes.glass_settings(strengths, count), 0.5, 2.3, 26)
        row.append(_last(job, f"strength '{strengths}'", GLASS_HUE))
    stage.sheet([row], FOLDER / "smith_2001_figure_11.jpg")


def figures_14_15() -> None:
    """The ball, the bowl and the table, in four frames and from near."""
    job = scenes.table(4000, 3000)
    recording = simulate(job, _say)
    first = min(track.break_frame for track in recording.bodies)
    focus = np.array([[x, y, z] for x in (-0.58, 0.58) for y in (-0.4, 0.4) for z in (0.0, 0.95)])
    near = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.25, 0.25) for z in (0.45, 0.9)])
    view = (0.45, -1.0, 0.42)
    frames = [first - 1, first + 1, first + 4, first + 9]
    images = [stage.picture(_table(job, recording, frame), view, focus) for frame in frames]
    captions = [f"frame {frame}" for frame in frames]
    close = stage.picture(_table(job, recording, first + 3), (0.35, -1.0, 0.6), near, size=(966, 560))
    tiles = list(zip(captions, images, strict=True))
    rows = [tiles[:2], tiles[2:], [(f"frame {first + 3}, from near", close)]]
    stage.sheet(rows, FOLDER / "smith_2001_figures_14_15.jpg")


def _table(job: Job, recording, frame: int) -> list[stage.Solid]:
    solids = stage.at_frame(recording, frame, (GLASS_HUE, CERAMIC_HUE), 0.12, [body.surface for body in job.bodies])
    for track, collider in zip(recording.projectiles, [job.colliders[1]], strict=True):
        solids.append(stage.Solid(stage.placed(collider.surface, track.center, track.poses[frame - 1]), BALL))
    return solids + [stage.Solid(leg.surface, (0.3, 0.3, 0.32)) for leg in job.colliders[2:]]


def _last(job: Job, caption: str, hue: float):
    """The last frame of a run with one body, from near."""
    recording = simulate(job, _say)
    (body,) = recording.report["bodies"]
    solids = stage.at_frame(recording, job.frame_end, (hue,), 0.35, [job.bodies[0].surface])
    heavy = sorted(solids, key=lambda solid: -abs(volume(solid.surface)))[: max(len(solids) // 2, 1)]
    focus = _within([solid.surface for solid in heavy], 1.1 * job.bodies[0].surface.diagonal)
    sys.stdout.write(f"{caption}: {body['cells']} cells, {body['bonds']} bonds, {body['fragments']} pieces\n")
    return caption, stage.picture(solids, (0.6, -1.0, 0.6), focus)


def _within(surfaces: list[Surface], reach: float) -> np.ndarray:
    """Points of surfaces that lie within a distance of where most of them are."""
    points = np.concatenate([surface.points for surface in surfaces])
    return points[np.linalg.norm(points - np.median(points, axis=0), axis=1) < reach]


def _spread(struck: scenes.Struck, amount: float) -> list[stage.Solid]:
    """The fragments of what was struck, moved away from the impact along the floor by a share of their distance."""
    solids = []
    for piece in fragments.cut(
        struck.surface, struck.solid, struck.result.fragment_of_cell, Settings.of(roughness=0.0)
    ):
        _, center, _ = mass_properties(piece.surface)
        away = amount * (center - struck.place) * [1.0, 1.0, 0.0]
        moved = Surface(piece.surface.points + away, piece.surface.faces)
        solids.append(stage.Solid(moved, stage.fragment_color(piece.label), piece.interior))
    return solids


def _say(name: str, share: float) -> None:
    """A run's progress is nobody's concern here."""


FIGURES: dict[str, Callable[[], None]] = {
    f"smith_2001_{function.__name__}": function for function in (figure_1, figures_4_9, figure_11, figures_14_15)
}
NAMES = tuple(FIGURES)


def main(names: list[str]) -> int:
    """Make some pictures; returns the exit code."""
    for name in chosen(names, FIGURES):
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        FIGURES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
