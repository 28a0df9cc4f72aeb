"""Twenty shapes and three materials that deform: what is dropped to see that none stretches into spikes."""

import numpy as np

from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.solid import cell_edge
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.methods.lattice.cells.thresholds import softened, strength_stretch
from fracture_addon.core.timeline.deformable.stretch import drawn_stretch
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

FLOOR = Collider("floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
SPEED = 4.4  # m/s, after a fall from 1 m
RUBBER = Material("Rubber", 1000.0, 2e9, 0.45, 2e7, 2e8, 1e6, strength_variation=0.1)
PLASTER = Material("Plaster", 1000.0, 4e9, 0.2, 3e6, 3e7, 1.5e5, strength_variation=0.1)
MATERIALS = {"porcelain": PORCELAIN, "rubber": RUBBER, "plaster": PLASTER}


def vase(height: float = 0.3, wall: float = 0.008, segments: int = 32) -> Surface:
    """A thin vase: a wavy profile with a wall of one thickness, as Solidify and Subsurf make it."""
    along = np.linspace(0.0, 1.0, 17)
    radius = height / 0.3 * (0.06 + 0.05 * np.sin(2.6 * along + 0.3) * (1.0 - 0.3 * along))
    outside = np.stack([radius, along * height], axis=1)
    inside = outside[outside[:, 1] > wall] - [wall, 0.0]
    return shapes.revolved(np.concatenate([[[0.0, 0.0]], outside, inside[::-1], [[0.0, wall]]]), segments)


def _turned(surface: Surface, degrees: float) -> Surface:
    """The surface, tilted about X."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return shapes.moved(surface, rotation=[[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])


SHAPES = {
    "vase": vase(),
    "tilted vase": _turned(vase(), 20.0),
    "lying vase": _turned(vase(), 90.0),
    "thinner vase": vase(wall=0.004),
    "small vase": vase(0.15, 0.005),
    "cup": shapes.cup(),
    "tilted cup": _turned(shapes.cup(), 30.0),
    "bowl": shapes.bowl(),
    "bowl on its rim": _turned(shapes.bowl(), 150.0),
    "plate": shapes.bowl(0.1, 0.01, 24, 4),
    "tile": shapes.box((0.2, 0.2, 0.008)),
    "tile on an edge": _turned(shapes.box((0.2, 0.2, 0.008)), 80.0),
    "tile on a corner": _turned(
        shapes.moved(shapes.box((0.2, 0.008, 0.2)), rotation=[[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]), 5
    ),
    "plank": shapes.plank(0.5, 0.08, 0.015),
    "plank on its end": _turned(shapes.box((0.08, 0.5, 0.015)), 75.0),
    "brick": shapes.box((0.2, 0.1, 0.06)),
    "rod": _turned(shapes.box((0.02, 0.3, 0.02)), 40.0),
    "ring": shapes.torus(0.1, 0.02, 24, 10),
    "upright ring": _turned(shapes.torus(0.1, 0.02, 24, 10), 85.0),
    "ball": shapes.icosphere(0.08),
}


def dropped_stretch(shape: str, material: str, cells: int, frames: int, method: str = "lattice") -> tuple[float, int]:
    """Let a shape hit the floor after a fall from 1 m; return its largest drawn stretch and its number of fragments."""
    surface = SHAPES[shape]
    surface = shapes.moved(surface, offset=(0.0, 0.0, 0.02 - surface.points[:, 2].min()))
    settings = Settings.of(method=method, dynamics="deformable", cell_count=cells)
    body = Body(shape, surface, MATERIALS[material], settings, velocity=np.array([0.0, 0.0, -SPEED]))
    recording = simulate(Job((body,), (FLOOR,), 1, frames), lambda *_: None)
    (deformed,) = recording.deformed
    edge = float(cell_edge(volume(surface) / cells))
    return float(drawn_stretch(deformed.surface, deformed.points, edge).max()), int(deformed.piece_of_face.max()) + 1


def breaking_stretch(material: str) -> float:
    """The length over rest length at which the material breaks on average, with the default softening."""
    return 1.0 + float(softened(strength_stretch(MATERIALS[material]), Settings().motion.softening))
