"""Plastic flow: plastic strain is subtracted from the total strain before the stress is computed (CACM 2000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from ....data.material import Material
from ..elements import Law, law_of
from ..kernels.symmetric import OPTIONS

# Halvings of the share of the strain that flows in a material with grain: 2^-50 is near the rounding of a double.
HALVINGS = 50


@dataclass(frozen=True)
class Flow:
    """Yield criterion. All strains are Frobenius norms of deviatoric strains.

    Attributes:
        start: Elastic strain at which the material yields.
        hardening: Increase of this strain per plastic strain.
        limit: Largest plastic strain.
        along: Strain at which the material yields in tension along the grain, over ``start``; 1 without grain.
    """

    start: float
    hardening: float
    limit: float
    along: float = 1.0


def flow_of(material: Material) -> Flow | None:
    """Return the criterion with linear hardening; ``None`` for a material that breaks before it yields.

    It is that of von Mises. With grain, the part of the strain deviator that is a stretch along the grain counts less
    (Hill), so that the yield strength along the grain is ``Material.grain_strength_ratio`` times that across it.

    Args:
        material: Yield strength and hardening, Pa, and largest plastic strain.

    Returns:
        The criterion in strains.

    Notes:
        von Mises 1913; Hill 1948, A Theory of the Yielding and Plastic Flow of Anisotropic Metals; O'Brien and Hodgins
        2000 (CACM) for the subtraction of plastic strain.

    Example:
        Under uniaxial tension at the yield strength, the norm of the strain deviator is Y / (sqrt(3/2) 2 G).

        >>> from dataclasses import replace
        >>> from ....data.material import PORCELAIN
        >>> metal = replace(PORCELAIN, yield_strength=10e6)
        >>> round(float(flow_of(metal).start) * 2 * metal.shear_modulus * 1.5**0.5 / 1e6, 9), flow_of(PORCELAIN)
        (10.0, None)
    """
    if material.yield_strength == 0.0:
        return None
    # The von Mises stress is sqrt(3/2) times the norm of the stress deviator, which is 2 G times the norm of the
    # elastic strain deviator. The equivalent plastic strain is sqrt(2/3) times the norm of the plastic strain.
    law = law_of(material)
    twice = 2.0 * law.rigidity
    start, along = material.yield_strength / (np.sqrt(1.5) * twice), 1.0
    if law.fibre > 0.0 or material.grain_strength_ratio > 1.0:
        start, along = _limits_with_grain(law, material.yield_strength, material.grain_strength_ratio)
    return Flow(start, 2.0 / 3.0 * material.hardening / twice, np.sqrt(1.5) * material.plastic_limit, along)


def _limits_with_grain(law: Law, across: float, ratio: float) -> tuple[float, float]:
    """Return ``start`` and ``along`` of ``Flow`` for the yield strengths ``across`` and ``ratio * across``, Pa."""
    stiffness = law.dilation + np.diag([2.0 * law.rigidity] * 3) + np.diag([law.fibre, 0.0, 0.0])

    def squares(stress: list[float]) -> tuple[float, float]:
        """Return the squared stretch along the grain and the rest of the strain deviator, under principal stresses."""
        strain = np.linalg.solve(stiffness, stress)
        deviator = strain - strain.mean()
        stretch = 1.5 * float(deviator[0]) ** 2
        return stretch, float(deviator @ deviator) - stretch

    (stretch, _), (part, rest) = squares([ratio * across, 0.0, 0.0]), squares([0.0, across, 0.0])
    # stretch / along^2 = part / along^2 + rest = start^2.
    along = float(np.sqrt((stretch - part) / rest))
    return float(np.sqrt(stretch)) / along, along


@njit(cache=True, **OPTIONS)
def _flow_with_grain(
    start: float,
    hardening: float,
    limit: float,
    along: float,
    fibre: np.ndarray,
    elastic: np.ndarray,
    before: float,
    plastic: np.ndarray,
) -> None:
    """Let one element flow until it meets the yield criterion, or its limit.

    Its elastic strain deviator is a N + R. N is the unit deviator of a stretch along the ``fibre``, and R is normal to
    it. The element yields at |a N / along + R| = start. Plastic strain grows across the yield surface at its end (a
    backward Euler step): with the share t of R, it takes t / (along^2 (1 - t) + t) of a.

    Args:
        start: ``Flow.start``.
        hardening: ``Flow.hardening``.
        limit: ``Flow.limit``.
        along: ``Flow.along``.
        fibre: (3,) unit direction of the grain.
        elastic: (3, 3) elastic strain deviator.
        before: Norm of the plastic strain.
        plastic: (3, 3) plastic strain, changed in place.
    """
    stretch = square = 0.0
    for j in range(3):
        for k in range(3):
            stretch += fibre[j] * elastic[j, k] * fibre[k]
            square += elastic[j, k] ** 2
    part = np.sqrt(1.5) * stretch
    rest = np.sqrt(max(square - part**2, 0.0))
    if (part / along) ** 2 + rest**2 <= (start + hardening * before) ** 2:
        return
    share, step, taken = 0.0, 0.5, 0.0
    for _ in range(HALVINGS):
        tried = share + step
        taken = tried / (along**2 * (1.0 - tried) + tried)
        length = np.sqrt((tried * rest) ** 2 + (taken * part) ** 2)
        size = np.sqrt(((1.0 - taken) * part / along) ** 2 + ((1.0 - tried) * rest) ** 2)
        if size > start + hardening * (before + length) and before + length < limit:
            share = tried
        step *= 0.5
    taken = share / (along**2 * (1.0 - share) + share)
    for j in range(3):
        for k in range(3):
            own = np.sqrt(1.5) * part * (fibre[j] * fibre[k] - (1.0 / 3.0 if j == k else 0.0))
            plastic[j, k] += share * (elastic[j, k] - own) + taken * own


@njit(cache=True, parallel=True, **OPTIONS)
def _flow_kernel(
    start: float,
    hardening: float,
    limit: float,
    along: float,
    fibres: np.ndarray,
    position: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    rows: np.ndarray,
    plastic_strain: np.ndarray,
) -> None:
    """Let the elements ``rows`` (A,) flow until they meet the yield criterion.

    The excess of the elastic strain deviator moves to ``plastic_strain`` (E, 3, 3) in its own direction, or, with
    ``fibres`` (A, 3) along the grain, across the yield surface. Hardening raises the yield strain meanwhile. The volume
    does not flow.
    """
    for i in prange(len(rows)):
        row = rows[i]
        a, b, c, d = elements[row, 0], elements[row, 1], elements[row, 2], elements[row, 3]
        gradient, elastic = np.empty((3, 3)), np.empty((3, 3))
        for j in range(3):
            p, q, r = (
                position[b, j] - position[a, j],
                position[c, j] - position[a, j],
                position[d, j] - position[a, j],
            )
            for k in range(3):
                gradient[j, k] = p * basis[row, 0, k] + q * basis[row, 1, k] + r * basis[row, 2, k]
        total = plastic_total = 0.0
        for j in range(3):
            for k in range(3):
                strain = 0.5 * (
                    gradient[0, j] * gradient[0, k] + gradient[1, j] * gradient[1, k] + gradient[2, j] * gradient[2, k]
                )
                elastic[j, k] = strain - (0.5 if j == k else 0.0) - plastic_strain[row, j, k]
            total += elastic[j, j] / 3.0
            plastic_total += plastic_strain[row, j, j] / 3.0
        square = plastic_square = 0.0
        for j in range(3):
            elastic[j, j] -= total
            for k in range(3):
                square += elastic[j, k] ** 2
                plastic = plastic_strain[row, j, k] - (plastic_total if j == k else 0.0)
                plastic_square += plastic**2
        size, before = np.sqrt(square), np.sqrt(plastic_square)
        excess = (size - start - hardening * before) / (1.0 + hardening)
        excess = min(excess, limit - before)
        if len(fibres) > 0:
            _flow_with_grain(start, hardening, limit, along, fibres[i], elastic, before, plastic_strain[row])
        elif excess > 0.0:
            for j in range(3):
                for k in range(3):
                    plastic_strain[row, j, k] += excess / size * elastic[j, k]
