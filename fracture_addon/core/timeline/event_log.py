"""The log of a run's impacts, breaks and collisions, with their energies."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..data.events import BREAK, COLLISION, IMPACT, Events
from ..data.impact import Impact
from ..numerics.rotations import cross, length, matrices
from ..rigid.contact_reports import Contact
from ..rigid.contacts import TOUCHING_SHARE, inverse_mass
from ..rigid.rigid_properties import RigidProperties
from .collisions import SLOWEST_IMPACT, Motions, velocity_at
from .rigid_fragment import RigidFragment
from .rigid_scene import RigidScene


class EventLog:
    """Collects the events of a run, if its job asks for them.

    Contacts of one step are noted before something breaks, because a broken body leaves the rigid world. Then
    ``finish_step`` adds them with their kinds.
    """

    def __init__(self, scene: RigidScene, diagonals: Sequence[float], *, is_on: bool):
        """Start a log without events.

        Args:
            scene: Bodies and colliders of the run.
            diagonals: m, of each body.
            is_on: False leaves the log empty.
        """
        self._scene, self._diagonals, self._is_on = scene, diagonals, is_on
        # Motions without the contacts of this step.
        self._before: Motions = {}
        self._noted: list[tuple[Contact, np.ndarray, float]] = []
        self._rows: list[tuple[int, float, np.ndarray, float, int, int]] = []

    def start_step(self, seconds: float) -> None:
        """Store the motion of everything before a step of ``seconds``."""
        if self._is_on:
            self._before = self._scene.free_flight_of_all(seconds)

    def note(self, contact: Contact, share: float) -> None:
        """Note a contact of this step, if it changes the closing speed enough for an impact.

        Args:
            contact: The contact.
            share: Share of its push that exceeds the push of the step before, 0 to 1.
        """
        if not self._is_on:
            return
        scene, impulse = self._scene, share * length(contact.push)
        inverse = scene.most_inverse_mass(contact.first) + scene.most_inverse_mass(contact.second)
        key = next((key for key in (contact.second, contact.first) if scene.fragment_row(key) >= 0), -1)
        if key < 0 or 0.0 < impulse * inverse < SLOWEST_IMPACT:
            return
        direction, sides = contact.push / length(contact.push), (contact.first, contact.second)
        # Reading the contact points takes the most time. It is skipped where no point closes fast enough.
        first, second = (self._motion(side) for side in sides)
        turns = sum(
            length(spin) * scene.world.reach(side)
            for side, (_, spin) in zip(sides, (first, second), strict=True)
            if spin.any()
        )
        if float((first[0] - second[0]) @ direction) + turns < SLOWEST_IMPACT:
            return
        fragment = scene.fragments[scene.fragment_row(key)]
        offsets, gaps = scene.world.contacts.touching(contact, key)
        if not len(offsets):
            return
        tolerance = TOUCHING_SHARE * self._diagonals[fragment.body]
        pose = scene.world.pose(key)
        point = pose[:3] + matrices(pose[3:]) @ offsets[gaps <= max(gaps[0], 0.0) + tolerance].mean(axis=0)
        inverse = sum(_inverse_mass(scene, side, point, direction) for side in sides)
        if inverse == 0.0:  # a kinematic body meets a fixed one
            inverse = inverse_mass(fragment.properties, matrices(pose[3:]), point - pose[:3], direction)
        speed = float(
            (velocity_at(scene, sides[0], first, point) - velocity_at(scene, sides[1], second, point)) @ direction
        )
        if min(speed, impulse * inverse) < SLOWEST_IMPACT:
            return
        rebound = 1.0 + 0.5 * sum(map(scene.restitution, sides))
        self._noted.append((contact, point, contact_energy(speed, impulse, inverse, rebound)))

    def _motion(self, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocity (3,) m/s and angular velocity (3,) rad/s of a body before the contacts of this step."""
        return self._before[key] if key in self._before else self._scene.world.velocities(key)

    def finish_step(self, frame: int, time: float, broken: Collection[int]) -> None:
        """Add the noted contacts.

        Args:
            frame: First frame after the step.
            time: s since the first frame of the run.
            broken: Keys of the fragments that broke in the step.
        """
        for contact, point, energy in self._noted:
            keys = [key for key in (contact.second, contact.first) if self._scene.fragment_row(key) >= 0]
            fragments = {key: self._scene.fragments[self._scene.fragment_row(key)] for key in keys}
            key = next((key for key in keys if key in broken), keys[0])
            kind = COLLISION if any(item.depth for item in fragments.values()) else IMPACT
            kind = BREAK if key in broken else kind
            self._rows.append((frame, time, point, energy, fragments[key].body, kind))
        self._noted.clear()

    def add_impacts(
        self, fragment: RigidFragment, pose: np.ndarray, impacts: Sequence[Impact], frame: int, time: float, broke: bool
    ) -> None:
        """Add simultaneous impacts without contact as one event: those of the artist, or those of a blast.

        Args:
            fragment: The fragment before it broke.
            pose: (7,) its pose.
            impacts: The impacts, rest space; at least one.
            frame: First frame that shows them.
            time: s since the first frame of the run.
            broke: Whether the fragment broke.
        """
        total = sum(impact.impulse for impact in impacts)
        if not self._is_on or total <= 0.0:
            return
        middle = sum(impact.impulse * impact.point for impact in impacts) / total
        point = pose[:3] + matrices(pose[3:]) @ (middle - fragment.properties.center)
        energy = sum(impact.elastic_energy for impact in impacts) or energy_of_impulses(fragment.properties, impacts)
        self._rows.append((frame, time, point, energy, fragment.body, BREAK if broke else IMPACT))

    def events(self) -> Events:
        """Return all events of the run."""
        if not self._rows:
            return Events()
        frames, times, points, energies, bodies, kinds = zip(*self._rows, strict=True)
        return Events(
            np.array(frames, np.int32),
            np.array(times),
            np.array(points),
            np.array(energies),
            np.array(bodies, np.int32),
            np.array(kinds, np.int32),
        )


def contact_energy(speed: float, impulse: float, inverse: float, rebound: float) -> float:
    """Return the energy of a contact at its greatest compression: the work of the impulse that stops the bodies.

    Args:
        speed: v, m/s, closing speed before the contact.
        impulse: J, N s, impulse of the whole contact.
        inverse: w, 1/kg, change of the closing speed per impulse.
        rebound: 1 + e, with the coefficient of restitution e.

    Returns:
        J.

    Notes:
        Own form of the impact law of Newton 1687: the compression takes J / (1 + e), at most v / w, at the mean speed
        v / 2. For one body on a fixed one, this is the kinetic energy along the push; simultaneous contacts share it.

    Example:
        A body of 2 kg falls at 3 m/s and rebounds at 1.5 m/s:

        >>> contact_energy(3.0, 2.0 * (3.0 + 1.5), 1.0 / 2.0, 1.5)
        9.0
    """
    return 0.5 * speed * min(impulse / rebound, speed / inverse)


def energy_of_impulses(properties: RigidProperties, impacts: Sequence[Impact]) -> float:
    """Return the kinetic energy that simultaneous impulses give to a free body at rest.

    Args:
        properties: Mass, kg, centre and inertia of the body.
        impacts: Their impulses, N s, directions and points.

    Returns:
        J, P^2 / 2m + L I^-1 L / 2.

    Example:
        4 N s on the centre of 2 kg.

        >>> body = RigidProperties(2.0, np.zeros(3), np.eye(3))
        >>> energy_of_impulses(body, [Impact([0, 0, 0], [1, 0, 0], impulse=4.0, duration=1e-3, radius=0.1)])
        4.0
    """
    impulse = sum((impact.impulse * impact.direction for impact in impacts), np.zeros(3))
    turn = sum(
        (impact.impulse * cross(impact.point - properties.center, impact.direction) for impact in impacts), np.zeros(3)
    )
    return float(0.5 * (impulse @ impulse / properties.mass + turn @ properties.inverse_inertia @ turn))


def _inverse_mass(scene: RigidScene, key: int, point: np.ndarray, direction: np.ndarray) -> float:
    pose = scene.world.pose(key)
    return inverse_mass(scene.properties(key), matrices(pose[3:]), point - pose[:3], direction)
