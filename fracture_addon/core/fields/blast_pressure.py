"""Pressure of an explosion in free air on a surface.

The curves are those of Kinney and Graham 1985, Explosive Shocks in Air, for a sphere of TNT at sea level. Pressures
reflected by a surface follow from the Rankine-Hugoniot relations of air.
"""

from __future__ import annotations

import numpy as np

# Pa, pressure of the air at sea level (ISO 2533).
AIR_PRESSURE = 101325.0
# m/kg^(1/3), smallest scaled distance of the curves: about the surface of the charge. Nearer points count as this far.
NEAREST = 0.053


def side_on(charge: float, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the peak pressure and the impulse of the wave at distances from a charge, without a reflection.

    Args:
        charge: kg of TNT.
        distances: (N,) m.

    Returns:
        (N,) Pa above the air's pressure, and (N,) Pa s, impulse of the positive phase.

    Notes:
        Kinney and Graham 1985, Explosive Shocks in Air, chapter 6.

    Example:
        One kilogram at a distance of 1 m gives about 10 bar.

        >>> pressure, impulse = side_on(1.0, np.array([1.0]))
        >>> round(float(pressure[0]) / 1e5, 1), round(float(impulse[0]))
        (10.1, 117)
    """
    root = np.cbrt(charge)
    z = np.maximum(np.asarray(distances, float) / root, NEAREST)
    slopes = np.sqrt((1.0 + (z / 0.048) ** 2) * (1.0 + (z / 0.32) ** 2) * (1.0 + (z / 1.35) ** 2))
    pressure = 808.0 * AIR_PRESSURE * (1.0 + (z / 4.5) ** 2) / slopes
    # 6.7 Pa s is 0.067 bar ms.
    impulse = 6.7 * root * np.sqrt(1.0 + (z / 0.23) ** 4) / (z**2 * np.cbrt(1.0 + (z / 1.55) ** 3))
    return pressure, impulse


def on_surface(charge: float, distances: np.ndarray, cosines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the peak pressure and the impulse on faces that the wave reaches.

    Args:
        charge: kg of TNT.
        distances: (N,) m.
        cosines: (N,) cosine of the angle between the inward normal and the direction of the wave, 0 to 1.

    Returns:
        (N,) Pa above the air's pressure, and (N,) Pa s, impulse of the positive phase.

    Notes:
        A face that the wave meets head-on has the reflected pressure P_r (Kinney and Graham 1985). A face along which
        it runs has the side-on pressure P_s. Between them, TM 5-855-1 (1986) gives P_r cos^2 + P_s (1 + cos^2 - 2 cos).
        The same factor multiplies the impulse.

    Example:
        A wave that meets a face head-on, and one that runs along it.

        >>> pressure, _ = on_surface(1.0, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
        >>> (pressure / 1e5).round(1).tolist()
        [55.7, 10.1]
    """
    pressure, impulse = side_on(charge, distances)
    reflection = (8.0 * pressure + 14.0 * AIR_PRESSURE) / (pressure + 7.0 * AIR_PRESSURE)
    factor = reflection * cosines**2 + (1.0 + cosines**2 - 2.0 * cosines)
    return factor * pressure, factor * impulse
