"""Break a body with finite elements that crack (O'Brien and Hodgins 1999, and CACM 2000)."""

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

# Damping ratio of the vibration of a median element. Waves shorter than a few elements die out. Chosen; not measured.
DAMPING_RATIO = 0.05
# Impact windows without cracks that refine the critical load of a tempered body. Chosen; not measured.
TEMPERED_ROUNDS = 2


@dataclass(frozen=True)
class Model:
    """Constant data of a body.

    Attributes:
        solid: The uncracked body.
        material: Strength and toughness.
        law: Stiffness and viscosity.
        step: Time step of the explicit integration, s.
    """

    solid: SolidModel
    material: Material
    law: Law
    step: float


def build(solid: SolidModel, material: Material, settings: Settings) -> Model:
    """Choose the time step and the viscosity of a solid, and its strength if the settings give a separation force."""
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
    """Return the peak force (N) at which ``impact`` first cracks a node.

    The force is scaled from one impact window without cracks. A tempered body takes ``TEMPERED_ROUNDS`` more.
    """
    # The strain of this force is far above rounding errors, and small enough for a linear response.
    probe = model.material.tensile_strength * np.cbrt(_cell_volume(model)) ** 2

    def tension(settings: Settings, force: float) -> float:
        window = _window(model, settings, [_with_peak(impact, force)])
        return max(window.run(cracking=False, progress=progress).tension, 1e-300)

    plain = probe / tension(replace(settings, tempering=0.0), probe)
    force = plain
    # Compression at the surface adds to the strength. Tension still rises in proportion to the load.
    for _ in range(TEMPERED_ROUNDS if settings.tempering > 0.0 else 0):
        force = max(force + (1.0 - tension(settings, force)) * plain, 1e-6 * plain)
    return force


def least_blow(model: Model, settings: Settings, impact: Impact) -> tuple[float, float]:
    """Return the peak force (N) at which ``impact`` first cracks a deformable body, and the duration of its pulse (s).

    Softening divides the stiffness. Strength and wave speed fall with its square root.
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
    """Break a body by simultaneous impacts; see ``method.strike``.

    An anchored body (``held``) is treated as a free one, because the waves of an impact do not reach the anchor in
    time. Violence multiplies the load. The momentum of the fragments is that of the impacts before violence.
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
    """Return the mean volume of a cell, m3."""
    return float(cells_of(model.solid, model.material).masses.mean()) / model.material.density


def _with_peak(impact: Impact, force: float) -> Impact:
    """Scale an impact to a peak force (N), with its impulse and speed in proportion."""
    factor = force / impact.peak_force
    return replace(impact, impulse=factor * impact.impulse, speed=factor * impact.speed)


def _window(model: Model, settings: Settings, impacts: Sequence[Impact]) -> Window:
    mesh = mesh_with_walls(model.solid, model.material.density)
    return Window(mesh, model.law, model.step, model.material, settings, impacts)


def _momenta(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return (C, 3) momentum N s and (C, 3) angular momentum about the centroid N m s of each element with mass."""
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
