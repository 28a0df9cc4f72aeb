"""Energy of a lattice."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.methods.lattice.advance import lengths
from fracture_addon.core.methods.lattice.model import Model
from fracture_addon.core.methods.lattice.state import State


def energy(model: Model, state: State, gravity=(0.0, 0.0, 0.0)) -> tuple[float, float, float]:
    """Compute the kinetic energy, the elastic energy of bonds and contacts, and the potential energy, joules."""
    kinetic = 0.5 * float(model.masses @ np.einsum("ni,ni->n", state.velocities, state.velocities))
    elastic = 0.5 * float(state.stiffness @ (lengths(model, state) - state.rest_lengths) ** 2)
    potential = -float(model.masses @ (state.positions @ np.asarray(gravity, float)))
    return kinetic, elastic + _contact_energy(model, state), potential


def _contact_energy(model: Model, state: State) -> float:
    first, second = state.contacts.pairs.T
    distance = np.linalg.norm(state.positions[second] - state.positions[first], axis=1)
    radius = np.minimum(model.contact_radii[first], model.contact_radii[second])
    stiffness = np.minimum(model.contact_stiffness[first], model.contact_stiffness[second])
    return 0.5 * float(stiffness @ np.maximum(radius - distance, 0.0) ** 2)
