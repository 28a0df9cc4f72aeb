"""Thermal shocks: fluids heat or cool bodies, and the strain loads them (docs/decisions/thermal_shock.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx

from ..data.arrays import ReadOnlyArrays, unit
from ..data.errors import SceneError, about
from ..data.impact import STEADY, FreeStrain, Impact
from ..data.material import Material
from ..data.solid import outer_faces
from ..data.surface import area_vectors, joined
from ..data.thermal_shock import ThermalShock
from ..fields.heat import HeatMesh, warming
from ..geometry.inside import is_inside
from ..geometry.nearest import nearest
from ..geometry.shells import is_closed
from ..methods import table
from ..methods.capabilities import THERMAL
from ..numerics.rotations import matrices, transformed
from .breaking import Breaker
from .face_loads import FaceLoad
from .rigid_fragment import Breakable, RigidFragment, can_break
from .rigid_scene import RigidScene

# Gap between a surface and a fluid that counts as closed, in cell sizes: modelled water is often a little smaller than
# the glass around it. A matter of taste: it must be below the wall of a filled glass.
GAP = 0.25


@dataclass(frozen=True)
class _Heated(ReadOnlyArrays):
    """The load of a thermal shock on a fragment.

    Attributes:
        impact: The load at the moment at which it is largest.
        times: (T,) s after the fluid touches the fragment, from the first one that the cells resolve.
        load_factors: (T,) load over the critical one at these times.
        rate: 1/s, h^2 / (k c): heat transfer squared over conductivity and heat capacity per volume.
        wet_share: Share of the fragment's surface that the fluid touches.
    """

    impact: Impact
    times: np.ndarray
    load_factors: np.ndarray
    rate: float
    wet_share: float

    @property
    def load_factor(self) -> float:
        """The largest load over the critical one."""
        return float(self.load_factors.max())

    def breaks_after(self, factor: float) -> float:
        """Return the time, s, at which ``factor`` times the load reaches the critical one; 0 if it never does.

        Before the first time, the load is in proportion to the rise of the temperature of the surface.
        """
        loads = factor * self.load_factors
        if loads.max() < 1.0:
            return 0.0
        row = int(np.argmax(loads >= 1.0))
        if row:
            share = (1.0 - loads[row - 1]) / (loads[row] - loads[row - 1])
            return float(self.times[row - 1] * (self.times[row] / self.times[row - 1]) ** share)
        return time_to_warm(_surface_rise(self.times[0], self.rate) / loads[0], self.times[0], self.rate)


def time_to_warm(rise: float, latest: float, rate: float) -> float:
    """Compute when the surface of a thick body has taken a share of the difference of temperatures to a fluid.

    Args:
        rise: The share; below that at the time ``latest``.
        latest: s.
        rate: 1/s, h^2 / (k c) of the heat transfer h, the conductivity k and the heat capacity per volume c.

    Returns:
        s.

    Notes:
        Carslaw and Jaeger 1959, section 2.7: 1 - exp(x^2) erfc(x) with x^2 = rate t.

    Example:
        Glass in a hard shock has cooled by half of the difference within a twentieth of a second.

        >>> round(time_to_warm(0.5, 1.0, 5000.0**2 / (1.05 * 2.1e6)), 3)
        0.052
    """
    if not rise > 0.0:
        return 0.0
    return float(brentq(lambda seconds: _surface_rise(seconds, rate) - rise, 0.0, latest))


def _surface_rise(seconds: float, rate: float) -> float:
    return 1.0 - float(erfcx(np.sqrt(rate * seconds)))


def check_closed(shocks: Sequence[ThermalShock]) -> None:
    """Refuse a volume that is not closed: it has no inside.

    Raises:
        SceneError: The message has the name of the object.
    """
    for shock in shocks:
        if shock.surface is not None and not is_closed(shock.surface.faces):
            raise SceneError(
                f"the mesh of the thermal shock '{shock.name}' has holes and no inside; close it, or use an empty"
            )


def thermal_loads(shock: ThermalShock, scene: RigidScene, breaker: Breaker) -> dict[int, tuple[float, FaceLoad]]:
    """Return the load of a thermal shock on each living fragment that its fluid touches, by row, and its moment.

    Args:
        shock: The shock.
        scene: State on its frame.
        breaker: Computes the critical loads. Its statistics get the report.

    Returns:
        Loads without forces, of the fragments that may break, and the seconds that each takes to break its fragment.

    Raises:
        SceneError: The fluid touches no rigid body that a thermal shock can load.

    Notes:
        Own (docs/decisions/thermal_shock.md); the largest stress decides, as in Kingery 1955.

    Example:
        No object that breaks is near the water.

        >>> from types import SimpleNamespace
        >>> from ..data.errors import SceneError
        >>> water = ThermalShock("Water", 3, np.eye(4), -80.0, 2000.0)
        >>> try:
        ...     thermal_loads(water, SimpleNamespace(fragments=[]), Breaker([]))
        ... except SceneError as error:
        ...     print(str(error).split(";")[0])
        the thermal shock 'Water' touches no rigid object that breaks on frame 3
    """
    wet = [row for row, item in enumerate(scene.fragments) if item.key >= 0 and _touches(shock, scene, item)]
    if not wet:
        raise SceneError(
            f"the thermal shock '{shock.name}' touches no rigid object that breaks on frame {shock.frame}; move or "
            "scale it so that its closed shape contains a part of the object's surface, or hide it in the viewport"
        )
    heated = {}
    for row in _loadable(shock, wet, scene, breaker):
        item = scene.fragments[row]
        breakable = breaker.breakables[item.body]
        if can_break(breakable, item.depth, len(item.cells), item.is_cracked):
            with about(breakable.body.name):
                heated[row] = _heated(shock, scene, breaker, row)
    largest = max((item.load_factor for item in heated.values()), default=0.0)
    factor = shock.load_factor / largest if shock.load_factor and 0.0 < largest < np.inf else 1.0
    return {row: _load(shock, scene, breaker, row, item, factor) for row, item in heated.items()}


def _heated(shock: ThermalShock, scene: RigidScene, breaker: Breaker, row: int) -> _Heated:
    """Return the load of a thermal shock on the fragment of a row.

    The surface takes heat from the fluid, and the heat spreads inside. The stress rises with the difference between
    skin and inside, and falls again (Kingery 1955, Factors Affecting Thermal Stress Resistance of Ceramic Materials).
    """
    fragment = scene.fragments[row]
    mesh, materials = HeatMesh.of(fragment.own_solid), _materials(breaker.breakables[fragment.body], fragment)
    conductivities = np.array([item.thermal_conductivity for item in materials])
    capacities = np.array([item.density * item.specific_heat for item in materials])
    expansions = np.zeros(len(mesh.points))
    expansions[mesh.cells] = np.array([item.thermal_expansion for item in materials])[mesh.owners, None]
    is_wet = _is_wet(shock, scene, fragment, mesh.points[mesh.faces].mean(axis=1))
    times = mesh.times(conductivities, capacities, shock.transfer)
    rises = warming(mesh, conductivities, capacities, np.where(is_wet, shock.transfer, 0.0), times)
    wet_share = float(mesh.areas[is_wet].sum() / mesh.areas.sum())
    impacts, load_factors = [], []
    for rise in rises:
        strain = FreeStrain(mesh.points, shock.difference * expansions * rise)
        impact = _impact(fragment, materials[0], strain, scene.violence(row))
        critical = breaker.computed_critical_force(fragment, [impact])
        impacts.append(impact)
        load_factors.append(impact.contact_force / critical if critical > 0.0 else np.inf)
    rate = shock.transfer**2 / float((conductivities * capacities).mean())
    return _Heated(impacts[int(np.argmax(load_factors))], times, np.array(load_factors), rate, wet_share)


def _impact(fragment: RigidFragment, material: Material, strain: FreeStrain, violence: float) -> Impact:
    """Return free strain as a steady impact. Its force is that on a cell whose largest strain is hindered."""
    place = int(np.abs(strain.strains).argmax())
    largest = max(abs(float(strain.strains[place])), float(np.finfo(float).tiny))
    impulse: float = 0.5 * material.young_modulus * largest * fragment.cell_size**2 * STEADY
    down = np.array([0.0, 0.0, -1.0])
    return Impact(strain.points[place], down, impulse, STEADY, fragment.cell_size, load_factor=violence, strain=strain)


def _load(
    shock: ThermalShock, scene: RigidScene, breaker: Breaker, row: int, heated: _Heated, factor: float
) -> tuple[float, FaceLoad]:
    """Return the seconds that ``factor`` times the load of a fragment takes to break it, and the load; report both."""
    impact, strain = heated.impact, heated.impact.strain
    assert strain is not None
    seconds = heated.breaks_after(factor)
    when = f", after {seconds:.2g} s" if seconds else ""
    breaker.statistics[scene.fragments[row].body].loads.append(
        f"Thermal shock '{shock.name}': {factor * shock.difference:.3g} K on {heated.wet_share:.0%} of the surface, "
        f"{factor * heated.load_factor:.3g} times the difference that first breaks it{when}"
    )
    impact = replace(impact, impulse=factor * impact.impulse, strain=replace(strain, strains=factor * strain.strains))
    return seconds, FaceLoad((impact,), impact.point[None], np.zeros((1, 3)))


def _loadable(shock: ThermalShock, wet: Sequence[int], scene: RigidScene, breaker: Breaker) -> list[int]:
    """Return the rows of the fragments that a thermal shock can load; warn of the others.

    Raises:
        SceneError: It can load none.
    """
    problems = {row: _problem(breaker.breakables[scene.fragments[row].body]) for row in wet}
    texts = {row: f"the thermal shock '{shock.name}' has no effect: {text}" for row, text in problems.items() if text}
    if len(texts) == len(wet):
        name = breaker.breakables[scene.fragments[wet[0]].body].body.name
        raise SceneError(f"'{name}': {texts[wet[0]]}")
    for row, text in texts.items():
        breaker.statistics[scene.fragments[row].body].warn(text)
    return [row for row in wet if not problems[row]]


def _problem(breakable: Breakable) -> str:
    """Return why a thermal shock cannot load a body, with the remedy; empty if it can."""
    if THERMAL[0] in table.capabilities(breakable.body.settings).unused_by_rigid:
        able = table.labels_with(lambda item: THERMAL[0] not in item.unused_by_rigid)
        return f"the method {table.row(breakable.body.settings).label} computes none; choose {able}"
    if not any(item.body.material.thermal_expansion for item in breakable.objects):
        return "Thermal Expansion of its material is 0; set it, or choose a material preset"
    return ""


def _materials(breakable: Breakable, fragment: RigidFragment) -> list[Material]:
    """Return the material of each cell of a fragment."""
    items = breakable.objects
    if len(items) == 1:
        return [items[0].body.material] * len(fragment.cells)
    owners = np.repeat(np.arange(len(items)), [item.solid.cell_count for item in items])
    return [items[owner].body.material for owner in owners[fragment.cells]]


def _touches(shock: ThermalShock, scene: RigidScene, fragment: RigidFragment) -> bool:
    """Return whether the fluid touches the surface of a fragment."""
    faces = outer_faces(fragment.solid.cells[fragment.cells])[0]
    return bool(_is_wet(shock, scene, fragment, fragment.solid.points[faces].mean(axis=1)).any())


def _is_wet(shock: ThermalShock, scene: RigidScene, fragment: RigidFragment, points: np.ndarray) -> np.ndarray:
    """Return whether the fluid touches the surface of a fragment near each of ``points`` (K, 3) m, rest space."""
    if not fragment.surfaces:
        return np.zeros(len(points), bool)
    surface = joined(fragment.surfaces)
    faces, weights, _ = nearest(surface, points)
    normals = unit(area_vectors(surface)[faces])
    beside = np.einsum("kc,kci->ki", weights, surface.corners[faces]) + GAP * fragment.cell_size * normals
    pose = scene.world.pose(fragment.key)
    world = (beside - fragment.properties.center) @ matrices(pose[3:]).T + pose[:3]
    own = transformed(world, np.linalg.inv(shock.matrix))
    if shock.surface is None:
        return np.asarray((own**2).sum(axis=1) <= 1.0)
    return is_inside(shock.surface, own)
