"""The scenes of table 1 of O'Brien and Hodgins 1999 as single impacts, for tests, on any number of elements.

The table gives Lame constants, viscosities, density and toughness; sizes, masses and speeds are not printed, so those
are ours. Its toughness is compared with a force, the largest eigenvalue of the separation tensor: over the square of an
element's edge it is the tension that such a node bears on this mesh.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.solid import SolidModel, cell_volumes
from fracture_addon.core.data.stress_window import StressWindow
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.method import Break, RigidMotion
from tests import shapes

STILL = RigidMotion(np.zeros(3), np.zeros(3))
# Stress at which a crack goes on, over that at which it starts; the paper has one threshold.
GOES_ON = 0.5
# Force that a body with the toughness ``Scene.reference`` bears, N: the same for scenes that differ only in toughness.
_BORNE: dict[tuple, float] = {}


@dataclass(frozen=True)
class Printed:
    """The material in a row of table 1.

    Attributes:
        dilation, rigidity: Lame's lambda and mu, Pa.
        dilation_damping, rigidity_damping: phi and psi, Pa s.
        density: kg/m3.
        toughness: N.
    """

    dilation: float
    rigidity: float
    dilation_damping: float
    rigidity_damping: float
    density: float
    toughness: float


# Table 1 of O'Brien and Hodgins 1999, "Material parameters and simulation times for examples", as printed.
TABLE = {
    "glass": Printed(1.04e8, 1.04e8, 0.0, 6760.0, 2588.0, 10140.0),
    "wall_1": Printed(6.03e8, 1.21e8, 3015.0, 6030.0, 2309.0, 6030.0),
    "wall_2": Printed(0.0, 1.81e8, 0.0, 18090.0, 2309.0, 6030.0),
    "bowl_1": Printed(2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 52.9),
    "bowl_2": Printed(2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 39.6),
    "bowl_3": Printed(2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 33.1),
    "bowl_4": Printed(2.65e6, 3.97e6, 264.0, 397.0, 1013.0, 13.2),
    "comparison_bowl": Printed(0.0, 5.29e7, 0.0, 198.0, 1013.0, 106.0),
    "the_end": Printed(0.0, 9.21e6, 0.0, 9.2, 705.0, 73.6),
}


@dataclass(frozen=True)
class Scene:
    """One row of table 1 and its impact.

    Attributes:
        printed: Material of the row.
        surface: Surface of the body, m.
        point, direction: Place and direction of the impact.
        peak: Peak force of the impact over the force that just cracks a body with the toughness ``reference``.
        crossings: Duration of the impact over the time of a shear wave along the diagonal of the body.
        reference: N, the toughness that ``peak`` is relative to; the same for bodies that differ in toughness only.
        radius: Radius of the contact patch, m; 0 for one that suits the elements.
    """

    printed: Printed
    surface: Surface
    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    peak: float
    crossings: float
    reference: float
    radius: float = 0.0


def slab(thickness: float, peak: float) -> Scene:
    """A slab of glass, so many m thick, under a heavy weight that pushes with a ``peak`` over what just cracks it.

    With the table's Lame constants it is as soft as rubber: one of 3 cm bends with a period of 0.24 s, twenty times the
    impact, and cracks in rings where the wave of that bending is. One of 20 cm bends as a whole, and cracks in rays.
    """
    slab = shapes.box((1.2, 1.2, thickness))
    point, down = (0.0, 0.0, 0.5 * thickness), (0.0, 0.0, -1.0)
    return Scene(TABLE["glass"], slab, point, down, peak, 1.5, TABLE["glass"].toughness)


def _wall(row: int, peak: float, crossings: float) -> Scene:
    """An adobe wall that a wrecking ball hits; a ball 50 times heavier hits harder and for longer."""
    wall = shapes.box((2.4, 0.3, 1.6))
    point, along = (0.2, -0.15, 0.1), (0.0, 1.0, 0.0)
    printed = TABLE[f"wall_{row}"]
    return Scene(printed, wall, point, along, peak, crossings, printed.toughness, radius=0.15)


def _bowl(row: int) -> Scene:
    """A bowl that comes down on its foot's edge, the same for every toughness."""
    bowl = shapes.shipped("bowl")
    lowest, up = _comes_down_on(bowl, (0.35, 0.1, -1.0))
    return Scene(TABLE[f"bowl_{row}"], bowl, lowest, up, 1.5, 1.0, TABLE["bowl_1"].toughness)


def _comparison_bowl() -> Scene:
    """A bowl that comes down on its rim."""
    bowl = shapes.shipped("bowl")
    rim, inwards = _comes_down_on(bowl, (1.0, 0.0, 0.6))
    printed = TABLE["comparison_bowl"]
    return Scene(printed, bowl, rim, inwards, 4.5, 1.0, printed.toughness)


def _comes_down_on(surface: Surface, down) -> tuple[tuple, tuple]:
    """The point of a surface that is furthest ``down``, and the way that a floor pushes there."""
    down = np.asarray(down) / np.linalg.norm(down)
    return tuple(surface.points[np.argmax(surface.points @ down)]), tuple(-down)


SCENES = {
    "glass": lambda: slab(0.2, 6.0),
    "wall_1": lambda: _wall(1, 1.5, 1.0),
    "wall_2": lambda: _wall(2, 15.0, 3.0),
    "bowl_1": lambda: _bowl(1),
    "bowl_2": lambda: _bowl(2),
    "bowl_3": lambda: _bowl(3),
    "bowl_4": lambda: _bowl(4),
    "comparison_bowl": _comparison_bowl,
}


@dataclass(frozen=True)
class Struck:
    """A scene after its impact."""

    scene: Scene
    solid: SolidModel
    result: Break

    @property
    def cracked_solid(self) -> SolidModel:
        """The solid with the elements that cracks divided."""
        return self.result.solid or self.solid

    @property
    def shares(self) -> np.ndarray:
        """Share of the volume (N,) of each fragment."""
        solid = self.cracked_solid
        volumes = np.bincount(self.result.fragment_of_cell, cell_volumes(solid.points, solid.cells))
        return volumes / volumes.sum()


def material_of(scene: Scene, name: str, size: float, toughness: float | None = None) -> Material:
    """The material of a scene on elements with an edge of ``size`` (m), without the printed viscosities.

    The peaks of the impacts were chosen for the damping that follows from the size of the elements. With the printed
    viscosities and the same peaks, the toughest bowl stays whole.
    """
    printed = scene.printed
    dilation, rigidity = printed.dilation, printed.rigidity
    strength = (printed.toughness if toughness is None else toughness) / size**2
    return Material(
        name,
        printed.density,
        rigidity * (3.0 * dilation + 2.0 * rigidity) / (dilation + rigidity),
        0.5 * dilation / (dilation + rigidity),
        strength,
        10.0 * strength,
        GOES_ON * strength * float(np.sqrt(size)),
        strength_variation=0.1,
    )


def strike(name: str, cell_count: int, seed: int = 0) -> Struck:
    """Build a scene on about ``cell_count`` elements, and strike it."""
    scene, solid, model, settings, impact = set_up(name, cell_count, seed)
    return Struck(scene, solid, fem.strike(model, settings, STILL, [impact]))


def watch(name: str, cell_count: int, seed: int = 0) -> tuple[Scene, StressWindow]:
    """The same, moment by moment."""
    scene, solid, model, settings, impact = set_up(name, cell_count, seed)
    return scene, fem.stress_window(model, solid, settings, [impact])


def set_up(name: str, cell_count: int, seed: int = 0) -> tuple[Scene, SolidModel, fem.Model, Settings, Impact]:
    """A scene on about ``cell_count`` elements, and the impact on it."""
    scene = SCENES[name]()
    solid = tetrahedralize(scene.surface, cell_count, seed)
    volumes = cell_volumes(solid.points, solid.cells)
    size = float(np.median(np.cbrt(6.0 * np.sqrt(2.0) * volumes)))
    settings = Settings.of(method="fem", cell_count=cell_count, seed=seed, noise=0.0)
    diagonal = float(np.linalg.norm(np.ptp(scene.surface.points, axis=0)))
    duration = scene.crossings * diagonal * float(np.sqrt(scene.printed.density / scene.printed.rigidity))
    unit = Impact(scene.point, scene.direction, 0.5 * duration, duration, scene.radius)
    key = scene.point, scene.printed.rigidity, scene.reference, cell_count, seed
    if key not in _BORNE:
        bearing = fem.build(solid, material_of(scene, name, size, scene.reference), settings)
        _BORNE[key] = fem.critical_force(bearing, settings, [unit])
    critical = _BORNE[key]
    model = fem.build(solid, material_of(scene, name, size), settings)
    return scene, solid, model, settings, replace(unit, impulse=0.5 * scene.peak * critical * duration)
