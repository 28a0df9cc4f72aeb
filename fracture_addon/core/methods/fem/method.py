"""Break a body with finite elements that crack (O'Brien and Hodgins 1999, and CACM 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.progress import CrackWatch, ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import appears_once, face_vectors, outer_faces
from ..break_result import split, with_smallest_fragment
from ..method import Break, Method, RigidMotion, Solver
from ..rigid_components import Cells, cells_of
from ..surface_cracks import lines_on_surface
from .critical_load import critical_force, window_of, with_peak
from .deformable.fragments import SMALLEST_FRAGMENT
from .model import Model, build, strength
from .prestress import check_prestress
from .state import Mesh, component_of_element, rest_solid
from .stress import stress_window
from .whole_shot import ElementsShot


def strike(
    model: Model,
    settings: StrikeSettings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    progress: ShareProgress | None = None,
    watch: CrackWatch | None = None,
    solver: Solver | None = None,
) -> Break:
    """Break a body by simultaneous impacts; see ``table.strike``.

    A static or kinematic body is computed like a free one, because it breaks before the waves of the impact reach its
    anchor. The momentum of the fragments is that of the impacts without their load factor.
    """
    loads = [with_peak(impact, impact.peak_force) for impact in impacts]
    window = window_of(model, settings, loads)

    def show(_time: float) -> None:
        if watch:
            watch(lambda: _crack_lines(window.mesh))

    found, joints = window.run(cracking=True, progress=progress, watch=show), window.joints
    mesh = found.mesh
    solid = rest_solid(mesh) if joints is None else joints.solid()
    label = component_of_element(mesh, None if joints is None else joints.elements[joints.holds])[~mesh.ghost]
    impulses, spins = _momenta(mesh)
    result = split(
        cells_of(solid, model.material),
        solid.face_cells,
        np.linalg.norm(face_vectors(solid), axis=1),
        label[solid.face_cells[:, 0]] == label[solid.face_cells[:, 1]],
        impulses / impacts[0].load_factor,
        spins / impacts[0].load_factor,
        motion,
        with_smallest_fragment(settings, SMALLEST_FRAGMENT, model.solid.cell_count),
        load_factor=1.0 / found.first_load if found.crack_count else found.tension,
        solve_count=found.check_count,
    )
    return replace(result, solid=solid)


def _crack_lines(mesh: Mesh) -> np.ndarray:
    """Return the lines (L, 2, 3) m along which cracks meet the surface, at rest.

    The two sides of a crack have different nodes at the same places.
    """
    outer = mesh.rest_node[outer_faces(mesh.elements[~mesh.ghost])[0]]
    on_skin = appears_once(outer)
    return lines_on_surface(mesh.rest, outer[~on_skin], outer[on_skin])


def _momenta(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Return (C, 3) momentum N s and (C, 3) angular momentum about the centroid N m s of each element with mass."""
    rows = np.flatnonzero(~mesh.ghost)
    quarter = 0.25 * (mesh.density * mesh.volume)[rows]
    corners, velocity = mesh.rest[mesh.elements[rows]], mesh.velocity[mesh.elements[rows]]
    arms = corners - corners.mean(axis=1, keepdims=True)
    momenta = quarter[:, None] * velocity.sum(axis=1)
    return momenta, quarter[:, None] * np.cross(arms, velocity).sum(axis=1)


class FiniteElements(Method[Model, Solver]):
    """Tetrahedra with linear shape functions that divide along cracks."""

    build = staticmethod(build)

    def solver(self, model: Model) -> Solver:
        """Return a solver without data: impacts on a model reuse nothing."""
        return Solver()

    def cells(self, model: Model) -> Cells:
        """Return the elements of the uncracked body."""
        return cells_of(model.solid, model.material)

    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
    strength = staticmethod(strength)
    check = staticmethod(check_prestress)
    whole_shot = staticmethod(ElementsShot)
