"""The contact of an impact as a spring between two masses that approach each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Radians, rounding of the phase of the spring at its peak.
AT_PEAK = 1e-9


@dataclass(frozen=True)
class Contact:
    """Spring between the impactor and the body, from the first touch until they part.

    The contact and the body are two springs in series. While nothing breaks, the compression x follows x'' = -x w^2
    with w^2 = mobility / compliance.

    Attributes:
        compression: m, of both springs together.
        speed: m/s, closing speed; 0 at the peak, and negative while they part.
        mobility: 1/kg, change of the closing speed per impulse: sum of the inverse masses of body and impactor.
        compliance: m/N, of both springs together.

    Notes:
        Own (docs/decisions/energy_limited_force.md): the spring of two masses in textbooks on impact (Goldsmith 1960).

    Example:
        A ball of 1 kg meets a wall at 2 m/s through a spring of 100 N/m: the peak is v sqrt(k m).

        >>> contact = Contact(compression=0.0, speed=2.0, mobility=1.0, compliance=0.01)
        >>> round(contact.peak, 9), round(contact.after(contact.time_to_peak).force, 9)
        (20.0, 20.0)
    """

    compression: float
    speed: float
    mobility: float
    compliance: float

    @property
    def force(self) -> float:
        """Present force, N."""
        return self.compression / self.compliance

    @property
    def energy(self) -> float:
        """Strain energy of both springs, J."""
        return 0.5 * self.compression**2 / self.compliance

    @property
    def peak(self) -> float:
        """Largest force from now on, N."""
        return self._amplitude / self.compliance if self.speed > 0.0 else self.force

    @property
    def time_to_peak(self) -> float:
        """Time until the closing speed is zero, s: for a new contact a quarter of the spring's period."""
        return (0.5 * math.pi - self._phase) / self._frequency

    def time_to(self, force: float) -> float:
        """Return the time until the force, N, at least the present and at most ``peak``, is reached, s."""
        return (math.asin(min(1.0, force / self.peak)) - self._phase) / self._frequency

    def after(self, seconds: float) -> Contact:
        """Return the contact ``seconds`` later, at most at its end."""
        phase = min(self._phase + seconds * self._frequency, math.pi)
        speed = self._amplitude * self._frequency * math.cos(phase)
        if abs(phase - 0.5 * math.pi) < AT_PEAK:
            speed = 0.0
        return Contact(self._amplitude * math.sin(phase), speed, self.mobility, self.compliance)

    def changed(self, mobility: float, compliance: float) -> Contact:
        """Return the contact with a body that cracks have changed.

        Cracks do not move the impactor: compression and closing speed stay. If the body is stiffer than before, because
        the load has moved on to another fragment, the compression falls so that the energy does not rise.
        """
        compression = self.compression * min(1.0, math.sqrt(compliance / self.compliance))
        return Contact(compression, self.speed, mobility, compliance)

    @property
    def _frequency(self) -> float:
        return math.sqrt(self.mobility / self.compliance)

    @property
    def _amplitude(self) -> float:
        return math.hypot(self.compression, self.speed / self._frequency)

    @property
    def _phase(self) -> float:
        return math.atan2(self.compression, self.speed / self._frequency)
