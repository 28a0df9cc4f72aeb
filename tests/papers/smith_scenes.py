"""The scenes of Smith, Witkin and Baraff 2001's figures: shared by their tests, on few cells, and by their pictures.

Only the cell counts are the paper's; it gives no sizes, materials or loads, so those are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import Alternation
from fracture_addon.core.data.solid import SolidModel
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import method
from fracture_addon.core.methods import table as methods_table
from fracture_addon.core.methods.network.model import Model
from tests import shapes

# Tetrahedra and shared faces that the paper gives.
PAPER_SIZES = {"glass": (3422, 6447), "plank": (3962, 7096), "pot": (6902, 13150)}

EVEN = {"strength_variation": 0.0}
EARTHENWARE = Material("Earthenware", 1900.0, 12e9, 0.2, 7e6, 0.0, 0.6e6, **EVEN)
CERAMIC = Material("Ceramic", 2400.0, 70e9, 0.22, 40e6, 0.0, 1.1e6, **EVEN)
GLASS = Material("Glass", 2500.0, 70e9, 0.22, 40e6, 0.0, 0.75e6, **EVEN)
STILL = method.RigidMotion(np.zeros(3), np.zeros(3))
FLOOR = Collider("floor", Surface([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]]))


@dataclass(frozen=True)
class Struck:
    """A solid after an impact.

    Attributes:
        surface, solid, model: The body.
        place: (3,) m, impact point.
        result: Result of the impact.
    """

    surface: Surface
    solid: SolidModel
    model: Model
    place: np.ndarray
    result: method.Break

    @property
    def cracked(self) -> np.ndarray:
        """Shared faces (F,) bool between two fragments."""
        label = self.result.fragment_of_cell
        return label[self.model.pairs[:, 0]] != label[self.model.pairs[:, 1]]

    @property
    def fragment_count(self) -> int:
        """Number of fragments, dust included."""
        return len(self.result.velocity)

    @property
    def reach(self) -> float:
        """Mean distance of the crack faces from the impact, m; 0 without cracks."""
        distances = np.linalg.norm(self.model.face_centers[self.cracked] - self.place, axis=1)
        return float(distances.mean()) if len(distances) else 0.0

    @property
    def furthest(self) -> float:
        """Largest distance of a crack face from the impact, m; 0 without cracks."""
        distances = np.linalg.norm(self.model.face_centers[self.cracked] - self.place, axis=1)
        return float(distances.max(initial=0.0))

    @property
    def crack_area(self) -> float:
        """Area of the crack faces, m2."""
        return float(self.model.areas[self.cracked].sum())

    def share_within(self, rows: np.ndarray) -> float:
        """Share of the crack area that faces ``rows`` (F,) bool have."""
        areas = self.model.areas
        return float(areas[self.cracked & rows].sum() / areas[self.cracked].sum())


def strike(surface: Surface, solid: SolidModel, material: Material, settings: Settings, place, way, times) -> Struck:
    """Strike a solid at so many times the load that first breaks something."""
    place = np.asarray(place, float)

    def impact(peak: float) -> Impact:
        return Impact(place, way, 0.5e-4 * peak, 1e-4, 0.0, load_factor=settings.cracks.violence)

    model = methods_table.build(solid, material, settings)
    force = times * methods_table.critical_force(model, settings, [impact(1.0)])
    return Struck(surface, solid, model, place, methods_table.strike(model, settings, STILL, [impact(force)]))


# Figures 4 to 9.
PLANK = shapes.plank(0.4, 0.1, 0.02)
GROWTHS = ("none", "moderate", "dramatic")
# Load over the one that first breaks something: the paper's network is crushed at the impact long before it cracks, and
# with full bonds cracks soon run to the plank's ends, whatever the growth function.
PLANK_TIMES = {"point": 25.0, "full": 4.0}


def plank(solid: SolidModel, growth: str, bonds: str, seed: int = 0) -> Struck:
    """A plank with turbulence in its strength, struck from above in its middle; only the growth function differs."""
    settings = Settings.of(
        bonds=bonds,
        seed=seed,
        noise=0.5,
        noise_kind="turbulence",
        crack_function=growth,
        dust_volume=0.0,
        load_steps=30,
    )
    return strike(PLANK, solid, CERAMIC, settings, [0.0, 0.0, 0.01], [0.0, 0.0, -1.0], PLANK_TIMES[bonds])


# Figure 1 and section 4.2. Radius and height, m: up the outside, down the inside.
POT_HEIGHT, POT_WALL = 0.24, 0.011
_OUTSIDE = np.array(
    [[0.062, 0.0], [0.078, 0.025], [0.094, 0.06], [0.103, 0.1], [0.101, 0.14], [0.088, 0.175], [0.074, 0.2]]
)
_LIP = np.array([[0.073, 0.215], [0.083, POT_HEIGHT], [0.073, POT_HEIGHT]])
COIL = Alternation([0.0, 0.0, 1.0], 0.04, 0.2)
POT_STRENGTHS = {
    "coil": {"noise": 0.0, "alternations": (COIL,)},
    "turbulence": {"noise": 0.25, "noise_kind": "turbulence"},
}


def pot_surface() -> Surface:
    """An earthenware pot with a rounded belly and a lip."""
    inside = (_OUTSIDE - [POT_WALL, 0.0])[::-1]
    inside[-1] = [_OUTSIDE[0, 0] - POT_WALL, POT_WALL]
    return shapes.revolved(np.concatenate([[[0.0, 0.0]], _OUTSIDE, _LIP, inside, [[0.0, POT_WALL]]]), 48)


def pot_settings(strengths: str, cell_count: int, bonds: str = "full") -> Settings:
    """A pot built of one coil, or one that is alike all over but for a mild turbulence."""
    return Settings.of(bonds=bonds, cell_count=cell_count, seed=3, violence=0.75, **POT_STRENGTHS[strengths])


def pot(solid: SolidModel, strengths: str, times: float) -> Struck:
    """A pot struck on its belly."""
    settings = pot_settings(strengths, solid.cell_count).changed(dust_volume=0.0)
    return strike(pot_surface(), solid, EARTHENWARE, settings, [-0.103, 0.0, 0.1], [1.0, 0.0, 0.0], times)


def falling(surface: Surface, material: Material, settings: Settings, height: float, tilt: float, frames: int) -> Job:
    """A body that falls onto the floor, turned about Y by ``tilt`` radians."""
    cosine, sine = np.cos(tilt), np.sin(tilt)
    turned = shapes.moved(surface, rotation=[[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
    placed = shapes.moved(turned, offset=(0.0, 0.0, height - turned.points[:, 2].min()))
    return Job((Body("body", placed, material, settings),), (FLOOR,), 1, frames)


# Figure 11: a wine glass and three functions for its strength.
_GLASS_OUTSIDE = np.array(
    [[0.036, 0.0], [0.036, 0.003], [0.012, 0.007], [0.005, 0.012], [0.0045, 0.07], [0.008, 0.08], [0.026, 0.093]]
)
_BOWL_OUTSIDE = np.array([[0.037, 0.112], [0.04, 0.13], [0.038, 0.15], [0.034, 0.17]])
_BOWL_INSIDE = np.array([[0.032, 0.17], [0.036, 0.15], [0.038, 0.13], [0.035, 0.112], [0.024, 0.096]])
GLASS_STRENGTHS = {
    "tight": {"noise": 0.3, "noise_size": 0.05, "noise_threshold": 0.8},
    "wide": {"noise": 0.7, "noise_size": 0.25, "noise_threshold": 0.8},
    "weak": {"noise": 0.9, "noise_size": 0.12, "noise_threshold": 1.3},
}


def glass_surface() -> Surface:
    """A wine glass with a foot, a stem and a bowl."""
    profile = [[[0.0, 0.0]], _GLASS_OUTSIDE, _BOWL_OUTSIDE, _BOWL_INSIDE, [[0.0, 0.087]]]
    return shapes.revolved(np.concatenate(profile), 48)


def glass_settings(strengths: str, cell_count: int, bonds: str = "full") -> Settings:
    """Thresholded turbulence of some amount, size and threshold, with the paper's geometric heuristics."""
    return Settings.of(
        bonds=bonds,
        cell_count=cell_count,
        seed=5,
        noise_kind="thresholded",
        area_exponent=0.0 if bonds == "point" else 0.25,
        **GLASS_STRENGTHS[strengths],
    )


# Figures 14 and 15: a bowling ball, a bowl, and a thick glass table on four posts.
TABLE_TOP, TABLE_THICKNESS = 0.7, 0.02
BALL_MASS, BALL_RADIUS = 6.8, 0.109


def table(table_cells: int, bowl_cells: int, frames: int = 60) -> Job:
    """A heavy ball falls into a bowl that stands on a glass table: two materials break in one run."""
    top = shapes.box((1.1, 0.75, TABLE_THICKNESS), (0.0, 0.0, TABLE_TOP - 0.5 * TABLE_THICKNESS))
    bowl = shapes.moved(shapes.bowl(0.15, 0.007), offset=(0.0, 0.0, TABLE_TOP))
    legs = tuple(
        Collider(f"leg {x:+.0f} {y:+.0f}", shapes.box((0.06, 0.06, 0.68), (0.5 * x, 0.33 * y, 0.34)))
        for x in (-1, 1)
        for y in (-1, 1)
    )
    ball = Collider(
        "ball",
        shapes.moved(shapes.icosphere(BALL_RADIUS), offset=(0.0, 0.0, TABLE_TOP + 0.45)),
        "sphere",
        mass=BALL_MASS,
        velocity=np.array([0.0, 0.0, -6.0]),
    )
    plain = Settings.of(noise=0.0, seed=2)
    bodies = (
        Body("table", top, GLASS, plain.changed(cell_count=table_cells, crack_function="dramatic")),
        Body("bowl", bowl, CERAMIC, plain.changed(cell_count=bowl_cells)),
    )
    return Job(bodies, (FLOOR, ball, *legs), 1, frames)


def solid_of(surface: Surface, cell_count: int, seed: int = 0) -> SolidModel:
    """A surface filled with about so many cells."""
    return tetrahedralize(surface, cell_count, seed)
