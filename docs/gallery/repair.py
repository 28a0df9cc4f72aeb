"""Broken meshes and what the repair makes of them: two pictures, and repair.md with what the report said.

python docs/gallery/repair.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from fracture_addon.core.data.surface import Surface, area_vectors  # noqa: E402
from fracture_addon.core.geometry import shells  # noqa: E402
from fracture_addon.core.geometry.intersections import crossing_faces  # noqa: E402
from fracture_addon.core.meshing.repair.closing import Openings  # noqa: E402
from fracture_addon.core.meshing.repair.repair import KEEP_VESSELS, RepairReport, prepare  # noqa: E402
from tests import shapes  # noqa: E402

CLAY, WRONG, INSIDE = np.array([0.78, 0.72, 0.66]), np.array([0.90, 0.45, 0.12]), np.array([0.45, 0.55, 0.75])
LIGHT = np.array([-0.4, -0.7, 0.6]) / np.linalg.norm([-0.4, -0.7, 0.6])


@dataclass(frozen=True)
class Case:
    """A mesh to repair: its name, what it is, what becomes of its open parts, and whether it is shown cut open."""

    name: str
    surface: Surface
    openings: Openings = KEEP_VESSELS
    opened: bool = False


def shipped() -> Iterator[Case]:
    """The broken meshes of ``tests/meshes`` as their makers left them, and one of two bodies that needs no repair."""
    for name in ("pottery", "coffee-mug", "porch-column-01", "crate"):
        yield Case(name, shapes.shipped(name))
    teapot = shapes.shipped("teapot_newell")
    yield Case("teapot_newell, holes capped", teapot, Openings("filled"), opened=True)
    yield Case("teapot_newell, a wall of 4 mm", teapot, Openings(thickness=0.004), opened=True)


def made() -> Iterator[Case]:
    """One defect each, put into a good mesh."""
    jar, ball = shapes.shipped("old_jar"), shapes.icosphere(1.0, 3)
    random = np.random.default_rng(0)
    turned = jar.faces.copy()
    rows = random.choice(len(turned), 200, replace=False)
    turned[rows] = turned[rows, ::-1]
    yield Case("200 faces turned", Surface(jar.points, turned))
    yield Case("every seventh face there twice", Surface(jar.points, np.concatenate([jar.faces, jar.faces[::7, ::-1]])))
    torn = np.arange(3 * len(jar.faces)).reshape(-1, 3)
    apart = jar.corners.reshape(-1, 3) + 1e-5 * random.normal(size=(3 * len(jar.faces), 3))
    yield Case("no face joined to another", Surface(apart, torn))
    upper = np.flatnonzero(jar.corners.mean(axis=1)[:, 2] > 0.12)
    yield Case("the upper half gone", shapes.without_faces(jar, upper))
    below = np.flatnonzero(ball.corners.mean(axis=1)[:, 2] > 0.0)
    yield Case("a sheet without thickness", shapes.without_faces(ball, below), opened=True)
    yield Case("three sheets at one edge", _fan())
    points = ball.points.copy()
    points[np.argmax(points[:, 2])] = [0.0, 0.0, -1.3]
    yield Case("a spike through the far side", Surface(points, ball.faces))
    yield Case(
        "40 balls", shapes.joined(*(shapes.moved(shapes.icosphere(0.2, 1), offset=random.random(3)) for _ in range(40)))
    )


def _fan() -> Surface:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, -1, 0.3], [1, -1, 0.3]]
    return Surface(points, [[0, 1, 2], [1, 3, 2], [0, 1, 4], [1, 5, 4], [0, 1, 6], [1, 7, 6]])


def repaired(case: Case) -> tuple[Surface, RepairReport]:
    """What the repair makes of a case."""
    return prepare(case.surface, case.name, True, None, case.openings)


NAMES = ("repair_shipped", "repair_made")


def main() -> int:
    """Make both pictures and the page."""
    lines = [INTRODUCTION]
    for name, cases in zip(NAMES, (list(shipped()), list(made())), strict=True):
        picture = f"{name}.jpg"
        results = [repaired(case) for case in cases]
        _draw(FOLDER / picture, cases, [surface for surface, _ in results])
        lines += [CAPTIONS[picture], f"![before and after]({picture})\n", "| mesh | the report |", "|---|---|"]
        lines += [f"| {case.name} | {report.sentence()} |" for case, (_, report) in zip(cases, results, strict=True)]
        lines.append("")
    (FOLDER / "repair.md").write_text("\n".join(lines), encoding="utf-8")
    return 0


INTRODUCTION = """# Damaged meshes

Before and after the repair, and what the panel and the command line report. Orange: faces that cross or cover
others. Red: open edges. Blue: the side of a face that should point inwards. This command makes the pictures and
this page:

    python docs/gallery/repair.py
"""
CAPTIONS = {
    "repair_shipped.jpg": "## Meshes as they come\n\nCredits: [tests/meshes](../../tests/meshes/README.md). Those "
    "shown cut open lack the side that faces the viewer.\nThe pot and its lid are whole.\n",
    "repair_made.jpg": "## One defect at a time\n",
}


def _draw(path: Path, cases: list[Case], results: list[Surface]) -> None:
    import matplotlib.pyplot as plt

    columns = len(cases) if len(cases) < 7 else len(cases) // 2
    blocks = len(cases) // columns
    figure = plt.figure(figsize=(3.0 * columns, 6.2 * blocks))
    for index, (case, result) in enumerate(zip(cases, results, strict=True)):
        block, column = divmod(index, columns)
        for row, surface in enumerate((case.surface, result)):
            place = (2 * block + row) * columns + column + 1
            axes = figure.add_subplot(2 * blocks, columns, place, projection="3d")
            after = "left as it is" if result is case.surface else "repaired"
            axes.set_title(after if row else case.name, fontsize=9)
            _plot(axes, surface, case.opened)
    figure.subplots_adjust(0.0, 0.0, 1.0, 0.96, 0.0, 0.06)
    figure.savefig(path, dpi=90, facecolor="white", pil_kwargs={"quality": 85, "optimize": True})
    plt.close(figure)


def _plot(axes, surface: Surface, opened: bool) -> None:
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    vectors = area_vectors(surface)
    normals = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    middle, reach = 0.5 * (low + high), 0.5 * float((high - low).max())
    eye = np.array([0.35, -0.85, 0.4])
    toward = normals @ eye
    color = np.where((toward < 0.0)[:, None], INSIDE, CLAY)
    color[crossing_faces(surface.points, surface.faces)] = WRONG
    shade = 0.35 + 0.65 * np.abs(normals @ LIGHT)
    # A closed surface hides the backs of its faces; drawn, they would shine through where the order is not certain.
    shown = surface.corners.mean(axis=1)[:, 1] > middle[1] if opened else toward > -0.2
    if not (opened or shells.is_closed(surface.faces)):
        shown[:] = True
    faces = Poly3DCollection(
        surface.corners[shown], facecolors=np.clip(color * shade[:, None], 0, 1)[shown], edgecolors=(0, 0, 0, 0.12)
    )
    faces.set_linewidth(0.2)
    axes.add_collection3d(faces)
    table = shells.edges(surface.faces)
    rim = surface.points[table.ends[table.face_count == 1]]
    if len(rim):
        axes.add_collection3d(Line3DCollection(rim, colors="red", linewidths=1.2))
    for set_limits, center in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, strict=True):
        set_limits(center - 0.85 * reach, center + 0.85 * reach)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(elev=22, azim=-68)
    axes.set_axis_off()


if __name__ == "__main__":
    sys.exit(main())
