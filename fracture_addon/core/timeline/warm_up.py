"""Small runs that compile kernels ahead.

    python -m fracture_addon.core.timeline.warm_up [GROUP]

Without a group, one process compiles all. A first run with the default settings needs the groups of ``FIRST_RUN``. Each
group needs the results of no other group, so that several processes can compile at the same time. Kernels that two
groups share are compiled by both.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from scipy.spatial import Delaunay

from ..cutting.cell_complex import CellComplex
from ..cutting.fragments import cut
from ..data.impact import Impact
from ..data.job import AuthoredImpact, Body, Collider, Job
from ..data.material import PORCELAIN
from ..data.settings.settings import ModelSettings, Settings, StrikeSettings
from ..data.solid import SolidModel, from_cells
from ..data.surface import Surface, joined
from ..geometry.inside import CROWDED, is_inside
from ..methods import table
from ..methods.method import UNPREPARED, RigidMotion
from .crack_preview import preview_cracks
from .fracture_only import fracture_only
from .preparation import fill
from .rigid_fragment import Breakable
from .rigid_scene import RigidScene
from .stress_preview import preview_stress
from .timeline import simulate

# m, edges of the body, a tile, and the number of its cells. Only the types of the arrays matter, so both are small.
SIZE, CELLS = np.array([0.12, 0.1, 0.02]), 300
# m, edges of bodies that a network solves in different ways: the tile, a block whose factor has a front that all
# threads share, and one that is solved with two levels (``network/solver/choice.py``).
NETWORKS = (SIZE, np.full(3, 0.12), np.full(3, 0.16))
# m/s, speed of its fall.
SPEED = 8.0
SETTINGS = Settings.of(cell_count=CELLS)
# s, duration of an impact, and its peak force over the critical one.
DURATION, LOAD = 1e-4, 4.0
# Niceness of the lowest priority.
LOWEST_PRIORITY = 19


def job(**settings: object) -> Job:
    """Return a job that needs all kernels of a first run: a tile that falls on a floor and breaks.

    Args:
        settings: Settings that differ from the defaults.
    """
    floor = Surface(5.0 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    chosen = SETTINGS.changed(**settings)
    body = Body("Tile", _tile(height=0.05), PORCELAIN, chosen, velocity=np.array([0.0, 0.0, -SPEED]))
    return Job((body,), (Collider("Floor", floor),), 1, 8, break_anyway=True)


def compile_checks() -> None:
    """Compile the check of a mesh, its filling with cells, and its shape in the rigid world."""
    scene = job()
    surface, solid, report = fill(scene, 0, _say_nothing)
    RigidScene(scene, [Breakable(scene.bodies[0], surface, solid, UNPREPARED, report)])
    # Where a mesh is fine in some places, winding numbers need a tree.
    tile = _tile()
    fine = Surface(1e-3 * tile.points, tile.faces)
    is_inside(joined([tile, *[fine] * CROWDED]), np.zeros((1, 3)))


def compile_network() -> None:
    """Compile the default method: models, and their breaks."""
    settings, motion = SETTINGS.part(StrikeSettings), RigidMotion(np.array([0.0, 0.0, -SPEED]), np.zeros(3))
    for size in NETWORKS:
        ready = table.prepare(_solid(size), PORCELAIN, SETTINGS.part(ModelSettings))
        struck = np.array([0.25, 0.2, -0.5]) * size
        impact = Impact(struck, np.array([0.0, 0.0, 1.0]), 1.0, DURATION, 0.01)
        critical = table.critical_force(ready.model, settings, [impact], solver=ready.solver)
        strong = replace(impact, impulse=0.5 * LOAD * critical * DURATION)
        table.strike(ready.model, settings, motion, [strong], solver=ready.solver)


def compile_cut() -> None:
    """Compile the cut of a surface into fragments."""
    solid = _solid()
    labels = (solid.points[solid.cells].mean(axis=1)[:, 0] > 0.0).astype(np.int32)
    # A granular relief alone has cellular noise.
    for settings in (SETTINGS, SETTINGS.changed(relief="granular")):
        cut(_tile(), solid, labels, settings, np.zeros(3), CellComplex(solid))


def compile_previews() -> None:
    """Compile the breaks without a simulation and the previews."""
    impact = AuthoredImpact(1, np.array([0.03, 0.02, 0.01]), np.array([0.0, 0.0, -1.0]), LOAD)
    scene = Job((Body("Tile", _tile(), PORCELAIN, SETTINGS, impacts=(impact,)),), (), 1, 8)
    for task in (fracture_only, preview_cracks, preview_stress):
        task(scene, _say_nothing)


def compile_lattice() -> None:
    """Compile lattices, rigid and deformable."""
    _compile_method("lattice")


def compile_elements() -> None:
    """Compile finite elements, rigid and deformable."""
    _compile_method("fem")


# Groups by name, in the order in which a run needs them, and those that a first run with the defaults needs.
GROUPS: Mapping[str, Callable[[], None]] = {
    "checks": compile_checks,
    "network": compile_network,
    "cut": compile_cut,
    "previews": compile_previews,
    "lattice": compile_lattice,
    "elements": compile_elements,
}
FIRST_RUN = ("checks", "network", "cut")


def _compile_method(method: str) -> None:
    for dynamics in ("rigid", "deformable"):
        simulate(job(method=method, dynamics=dynamics), _say_nothing)


def _say_nothing(_stage: str, _share: float) -> None:
    """Take the progress of a run."""


def _tile(height: float | None = None) -> Surface:
    """Return a box around the origin, or tilted and with its lowest point at a height, m."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * 0.5 * SIZE
    faces = [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
    if height is not None:
        cosine, sine = np.cos(0.4), np.sin(0.4)
        corners = corners @ np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]]).T
        corners[:, 2] += height - corners[:, 2].min()
    return Surface(corners, np.array(faces))


def _solid(size: np.ndarray = SIZE) -> SolidModel:
    """Return tetrahedra that fill a box (3,) m around the origin, with padding around them."""
    step = 0.02
    axes = [np.arange(-0.5 * extent - step, 0.5 * extent + 1.5 * step, step) for extent in size]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points += np.random.default_rng(0).uniform(-0.15, 0.15, points.shape) * step
    cells = Delaunay(points).simplices
    inside = (np.abs(points[cells].mean(axis=1)) < 0.5 * size).all(axis=1)
    return from_cells(points, cells[inside], cells[~inside])


def main(arguments: list[str]) -> int:
    """Compile all kernels, or one group at low priority beside Blender; end when the standard input closes."""
    if len(arguments) > 1 or not set(arguments) <= set(GROUPS):
        sys.stderr.write(f"usage: python -m fracture_addon.core.timeline.warm_up [{'|'.join(GROUPS)}]\n")
        return 2
    if arguments and hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY)
    threading.Thread(target=_end_with_input, daemon=True).start()
    for group in arguments or GROUPS:
        GROUPS[group]()
    return 0


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
