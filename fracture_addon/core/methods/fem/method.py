"""Finite elements that crack: O'Brien and Hodgins 1999, and CACM 2000."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel, face_vectors
from ..fragments import split, unbroken
from ..method import Break, Capabilities, Method, Progress, RigidMotion
from ..rigid_parts import cells_of
from .advance import automatic_step, curvatures
from .cracks.toughness import as_printed
from .elements import Law, law_of
from .fragments import SMALLEST_PIECE
from .impact_window import Window, span_of
from .mesh import Mesh, component_of_element, from_solid, rest_solid
from .stress import stress_window
from .walls import mesh_with_walls

# Damping ratio of an element's own vibration, so that waves shorter than a few elements die out.
DAMPING_RATIO = 0.05
# Windows without cracks until the critical load of a tempered body is known.
TEMPERED_ROUNDS = 2


@dataclass(frozen=True)
class Model:
    """What does not change while a body is struck.

    Attributes:
        solid: The uncracked body.
        material: Its strength.
        law: Its stiffness, with a little viscosity.
        step: s, of the explicit integration.
    """

    solid: SolidModel
    material: Material
    law: Law
    step: float


def build(solid: SolidModel, material: Material, settings: Settings) -> Model:
    """Choose step and viscosity for a solid, and its strength where that is printed as a force."""
    mesh = from_solid(solid, material.density)
    rows = np.flatnonzero(~mesh.ghost)
    if settings.separation_force > 0.0:
        material = as_printed(material, settings.separation_force, float(np.median(mesh.size[rows])))
    curvature, volume = curvatures(mesh, rows), mesh.volume[rows]
    slowest = 1.0 / (law_of(material).wave_speed * np.sqrt(np.median(curvature)))
    law = law_of(material, DAMPING_RATIO * slowest)
    return Model(solid, material, law, automatic_step(law, curvature, volume))


def strength(model: Model, material: Material, settings: Settings) -> float:
    """Return the tensile strength, Pa: the material's, or that of a separation force."""
    return model.material.tensile_strength


def critical_force(model: Model, settings: Settings, impact: Impact, progress: Progress | None = None) -> float:
    """Peak force, newtons, at which ``impact`` first cracks a node: from one window without cracks, scaled.

    A tempered body takes a few windows.
    """
    # Strains far above rounding and far below where Green strain bends the line.
    probe = model.material.tensile_strength * np.cbrt(_cell_volume(model)) ** 2

    def tension(settings: Settings, force: float) -> float:
        window = _window(model, settings, [_with_peak(impact, force)])
        return max(window.run(cracking=False, progress=progress).tension, 1e-300)

    plain = probe / tension(replace(settings, tempering=0.0), probe)
    force = plain
    # Compression at the surface comes on top of the strength; where tension is, it rises with the load as ever.
    for _ in range(TEMPERED_ROUNDS if settings.tempering > 0.0 else 0):
        force = max(force + (1.0 - tension(settings, force)) * plain, 1e-6 * plain)
    return force


def least_blow(model: Model, settings: Settings, impact: Impact) -> tuple[float, float]:
    """Peak force, newtons, at which ``impact`` first cracks a body that deforms, and its pulse, seconds.

    A softened body's strength falls, and its waves slow down, with the root of what its stiffness is divided by.
    """
    root = float(np.sqrt(settings.softening))
    pulse = span_of(from_solid(model.solid, model.material.density), model.law, model.step, [impact]).pulse
    return settings.threshold * critical_force(model, settings, impact) / root, root * pulse


def strike(
    model: Model,
    settings: Settings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    held: bool = False,
    progress: Progress | None = None,
) -> Break:
    """Break a body by impacts that fall together; see ``method.strike``.

    A held body is treated as a free one, as the waves of a blow do not reach an anchor in time. Violence multiplies
    the load; the momentum that pieces go on with is that of the impacts as they are.
    """
    if settings.violence == 0.0:
        return unbroken(cells_of(model.solid, model.material), impacts, motion, 0.0)
    violent = [_with_peak(impact, settings.violence * impact.peak_force) for impact in impacts]
    outcome = _window(model, settings, violent).run(cracking=True, progress=progress)
    mesh = outcome.mesh
    solid = rest_solid(mesh)
    label = component_of_element(mesh)[~mesh.ghost]
    impulses, spins = _momenta(mesh)
    result = split(
        cells_of(solid, model.material),
        solid.face_cells,
        np.linalg.norm(face_vectors(solid), axis=1),
        label[solid.face_cells[:, 0]] == label[solid.face_cells[:, 1]],
        impulses / settings.violence,
        spins / settings.violence,
        motion,
        replace(settings, dust_volume=max(settings.dust_volume, SMALLEST_PIECE / model.solid.cell_count)),
        load_factor=1.0 / outcome.first_load if outcome.crack_count else outcome.tension,
        solve_count=outcome.look_count,
    )
    return replace(result, solid=solid)


def _cell_volume(model: Model) -> float:
    """m3, the mean."""
    return float(cells_of(model.solid, model.material).masses.mean()) / model.material.density


def _with_peak(impact: Impact, force: float) -> Impact:
    """The same blow with another peak force, and as much faster."""
    factor = force / impact.peak_force
    return replace(impact, impulse=factor * impact.impulse, speed=factor * impact.speed)


def _window(model: Model, settings: Settings, impacts: Sequence[Impact]) -> Window:
    mesh = mesh_with_walls(model.solid, model.material.density)
    return Window(mesh, model.law, model.step, model.material, settings, impacts)


def _momenta(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """(C, 3) momentum N s and (C, 3) angular momentum about its centroid N m s of each element that is no ghost."""
    rows = np.flatnonzero(~mesh.ghost)
    quarter = 0.25 * (mesh.density * mesh.volume)[rows]
    corners, velocity = mesh.rest[mesh.elements[rows]], mesh.velocity[mesh.elements[rows]]
    arms = corners - corners.mean(axis=1, keepdims=True)
    momenta = quarter[:, None] * velocity.sum(axis=1)
    return momenta, quarter[:, None] * np.cross(arms, velocity).sum(axis=1)


class FiniteElements(Method):
    """Tetrahedra of linear strain that divide along cracks."""

    capabilities = Capabilities(deformable=True, tempering=True, grain=True, plasticity=True)
    build = staticmethod(build)
    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
    strength = staticmethod(strength)
