"""Activation: lets held fragments go that wait for events of their own (docs/decisions/activation.md).

A fragment waits while it is kinematic, has no pinned points, and its object lets pieces go one by one. A break lets go
of the new fragments that it makes fast enough (``new_fragments``); all others wait for a later event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.job import Job
from ..numerics.rotations import length, matrices, pose_on_track
from ..rigid.contact_reports import Contact
from .breaking import Breaker
from .leaving import beside, due_frame
from .reached_fragments import reached_fragments
from .rigid_fragment import RigidFragment
from .rigid_scene import RigidScene


@dataclass(frozen=True)
class Rebound(ReadOnlyArrays):
    """The push of a body on a fragment that was held in the step, and is let go by it.

    Attributes:
        partner: Key of the body.
        push: (3,) N s, impulse on the fragment.
        point: (3,) m, contact point in the world.
    """

    partner: int
    push: np.ndarray
    point: np.ndarray


class Activation:
    """Lets waiting fragments go.

    Args:
        job: The job.
        scene: Its bodies in a rigid world.
        breaker: Its statistics get a warning where the settings have no effect.

    Notes:
        Own model (docs/decisions/activation.md).

    Example:
        Nothing waits.

        >>> list(Activation(Job(()), None, Breaker([])).after_breaks())
        []
    """

    def __init__(self, job: Job, scene: RigidScene, breaker: Breaker):
        self._settings = [body.settings.motion for body in job.bodies]
        self._job, self._scene, self._releases = job, scene, job.releases
        # Frame of each waiting fragment in the painted order, by its key.
        self._due: dict[int, float] = {}
        # Keys of the fragments that have left their place.
        self._left: set[int] = set()
        for body, statistics in zip(job.bodies, breaker.statistics, strict=True):
            if body.settings.motion.waits and body.track is None:
                statistics.warn(
                    "Activation One by One has no effect, because nothing holds the object; turn on Hold in Place"
                )
            elif job.releases and not any(settings.waits for settings in self._settings):
                names = ", ".join(f"'{release.name}'" for release in job.releases)
                statistics.warn(
                    f"The release {names} lets nothing go, because no object lets its pieces go one by one; "
                    "set Activation to One by One"
                )
        # Contacts of waiting fragments in this step, and the velocity (3,) m/s that each would give; by row.
        self._contacts: dict[int, list[tuple[Rebound, np.ndarray]]] = {}

    def note(self, row: int, contact: Contact, push: np.ndarray) -> None:
        """Note a contact of a fragment in this step, and the impulse (3,) N s on the fragment."""
        fragment = self._scene.fragments[row]
        if fragment.waits:
            partner = contact.first if contact.second == fragment.key else contact.second
            rebound = Rebound(partner, push, self._point(fragment, contact))
            self._contacts.setdefault(row, []).append((rebound, self._velocity_gain(fragment, rebound)))

    def after_breaks(self) -> Iterator[Rebound]:
        """Let go of the fragments that the noted contacts would make fast enough, unless they broke in this step.

        Yields:
            Each contact of such a fragment. It stopped the other body as a fixed one would. The caller restores the
            motion of that body, and the next step finds the contact with the free fragment.
        """
        noted, self._contacts = self._contacts, {}
        for row, contacts in sorted(noted.items()):
            gain = sum((gain for _, gain in contacts), np.zeros(3))
            if self.lets_go(self._scene.fragments[row], length(gain)):
                yield from (rebound for rebound, _ in contacts)

    def on_frame(self, row: int) -> None:
        """Let go of fragments on a frame, counted from the first one.

        They are those that a volume reaches, that are next in the painted order, or whose neighbour has left.
        """
        waiting = [fragment for fragment in self._scene.fragments if fragment.waits and fragment.key >= 0]
        if not waiting:
            return
        poses = [self._scene.world.pose(fragment.key) for fragment in waiting]
        going = reached_fragments(self._releases, row, waiting, poses)
        going += [fragment for fragment in waiting if self._due_frame(fragment) <= self._job.frame_start + row]
        going += self._beside_left(row, [fragment for fragment in waiting if not fragment.is_frozen])
        for fragment in going:
            if fragment.waits:
                self._scene.let_go(fragment)

    def lets_go(self, fragment: RigidFragment, speed: float) -> bool:
        """Let a living fragment go that waits, if an impact would change its speed enough; return whether it goes.

        Args:
            fragment: The fragment.
            speed: m/s, change of the speed of its centre of mass if it were free.
        """
        goes = fragment.key >= 0 and fragment.waits and speed >= self._settings[fragment.body].least_gain
        if goes:
            self._scene.let_go(fragment)
        return goes

    def _due_frame(self, fragment: RigidFragment) -> float:
        if fragment.freezes:  # it has gone before
            return np.inf
        if fragment.key not in self._due:
            self._due[fragment.key] = due_frame(self._settings[fragment.body], fragment)
        return self._due[fragment.key]

    def _beside_left(self, row: int, waiting: Sequence[RigidFragment]) -> list[RigidFragment]:
        """Return the waiting fragments beside those that have left their place since the frame before."""
        going = []
        for body in sorted({fragment.body for fragment in waiting}):
            own = [fragment for fragment in self._scene.fragments if fragment.body == body]
            left = [fragment for fragment in own if self._has_left(row, fragment)]
            self._left.update(fragment.key for fragment in left)
            going += beside([fragment for fragment in waiting if fragment.body == body], left)
        return going

    def _has_left(self, row: int, fragment: RigidFragment) -> bool:
        """Return whether a fragment is farther from its place on the track than before by the distance of its body."""
        distance, track = self._settings[fragment.body].activation_distance, self._job.bodies[fragment.body].track
        if fragment.kinematic or not distance or track is None or fragment.key < 0 or fragment.key in self._left:
            return False
        place = pose_on_track(track, row, fragment.properties.center)
        return length(self._scene.world.pose(fragment.key)[:3] - place[:3]) >= distance

    def _velocity_gain(self, fragment: RigidFragment, rebound: Rebound) -> np.ndarray:
        """Return the velocity (3,) m/s that the other body of a contact would give to a fragment if it were free.

        Of the impulse J on a fixed fragment, a free one with the mass m takes J m / (m + M) from a body of the mass M.
        """
        mass, other = fragment.properties.mass, self._scene.properties(rebound.partner).mass
        return rebound.push / (mass + other if np.isfinite(other) else mass)

    def _point(self, fragment: RigidFragment, contact: Contact) -> np.ndarray:
        """Return the deepest point (3,) m of a contact in the world."""
        pose = self._scene.world.pose(fragment.key)
        offsets, _ = self._scene.world.contacts.touching(contact, fragment.key)
        return pose[:3] + (matrices(pose[3:]) @ offsets[0] if len(offsets) else 0.0)
