"""The load that first cracks a body of finite elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import Settings, StrikeSettings
from ...fields.prior_stress import without_prior_stress
from ..method import Solver
from ..rigid_components import cells_of
from .impact_window import Window, span_of
from .joints import Joints
from .model import Model, mesh_of
from .prestress import is_prestressed
from .state import from_solid

# Number of impact windows without cracks that refine the critical load of a body with prestress. A tempered slab breaks
# into 20, 20 and 22 fragments at 1, 2 and 4, and 40 gives the fragments of 4; each costs a window.
PRESTRESSED_ROUNDS = 2


def critical_force(
    model: Model,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Solver | None = None,
) -> float:
    """Return the sum of the peak forces (N) at which ``impacts`` first crack a node.

    The force is scaled from one impact window without cracks. A body with stress before the
    load takes ``PRESTRESSED_ROUNDS`` more.
    """
    # The strain of this force is far above rounding errors, and small enough for a linear response.
    probe = model.material.tensile_strength * np.cbrt(_cell_volume(model)) ** 2
    total = sum(impact.contact_force for impact in impacts)

    def tension(settings: StrikeSettings, force: float) -> float:
        loads = [with_peak(impact, force * impact.contact_force / total) for impact in impacts]
        window = window_of(model, settings, loads)
        return max(window.run(cracking=False, progress=progress).tension, 1e-300)

    plain = probe / tension(without_prior_stress(settings), probe)
    force = plain
    # Compression at the surface adds to the strength. Tension still rises in proportion to the load.
    for _ in range(PRESTRESSED_ROUNDS if is_prestressed(settings) else 0):
        force = max(force + (1.0 - tension(settings, force)) * plain, 1e-6 * plain)
    return force


def critical_impact(model: Model, settings: Settings, impact: Impact) -> tuple[float, float]:
    """Return the peak force (N) at which ``impact`` first cracks a deformable body, and the duration of its pulse (s).

    Softening divides the stiffness. Strength and wave speed fall with its square root.
    """
    root = float(np.sqrt(settings.motion.softening))
    pulse = span_of(from_solid(model.solid, model.material.density), model.law, model.step, [impact]).pulse
    return settings.motion.threshold * critical_force(model, settings, [impact]) / root, root * pulse


def _cell_volume(model: Model) -> float:
    """Return the mean volume of a cell, m3."""
    return float(cells_of(model.solid, model.material).masses.mean()) / model.material.density


def with_peak(impact: Impact, force: float) -> Impact:
    """Scale an impact to a peak force, with its impulse and speed in proportion.

    Args:
        impact: Before.
        force: N.

    Returns:
        The impact with a load factor of 1.

    Example:
        >>> impact = Impact([0, 0, 0], [1, 0, 0], impulse=1.0, duration=0.5, radius=0.1, speed=2.0)
        >>> impact.contact_force, with_peak(impact, 12.0).impulse, with_peak(impact, 12.0).speed
        (4.0, 3.0, 6.0)
    """
    factor = force / impact.contact_force
    return replace(impact, impulse=factor * impact.impulse, speed=factor * impact.speed, load_factor=1.0)


def window_of(model: Model, settings: StrikeSettings, impacts: Sequence[Impact]) -> Window:
    """Return the impact window of a body at rest."""
    mesh = mesh_of(model, settings)
    joints = None if model.objects is None else Joints(mesh, model.solid, model.step)
    return Window(mesh, model.law, model.step, model.material, settings, impacts, joints)
