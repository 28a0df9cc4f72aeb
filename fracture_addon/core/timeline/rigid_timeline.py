"""The rigid run of a job: bodies move rigidly until an impact breaks them; their fragments go on as rigid bodies.

A step of the rigid world lasts milliseconds, longer than an elastic contact (Hertz). The impulse of a contact in one
step is therefore the whole impulse of an impact. If its peak force is above the critical load of the fragment,
the fragment breaks. Its fragments start at the pose after the step, with the velocities that the method found from the
motion before the step. The other body keeps the momentum that they did not take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from ..data.impact import Impact
from ..data.job import AuthoredImpact, Job
from ..data.progress import Progress
from ..data.surface import Surface
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import length, matrices
from ..rigid.contact_reports import Contact
from ..rigid.contacts import Collision
from . import overlaps
from .activation import Activation, Rebound
from .assembly import RunResult
from .authored_impacts import impact_on, push_of
from .breaking import Breaker
from .cache import NO_CACHE, Cache
from .collapse import Collapse
from .collisions import Motions, impact_of_contact, kinematic_contacts, peak_force_bound
from .event_log import EventLog
from .face_loads import FaceLoad, thrown
from .face_loads_on_frame import FaceLoads
from .fragment_motion import ImpactLimit, impact_limit
from .freezing import hold_frozen
from .grips import Grips, with_grips
from .inertia import Inertia
from .rigid_fragment import FEWEST_CELLS, Breakable, RigidFragment, can_break
from .rigid_scene import RigidScene
from .sounds import Sounds

# s, time after its birth in which a fragment does not break, because the impact that made it still acts. Insensitive:
# half and twice give the same counts of fragments (docs/decisions/constants.md).
REBREAK_DELAY = 0.02
# Above so many moving bodies the steps get longer, in proportion. Insensitive: 30 and 120 give the same counts of
# fragments (docs/decisions/constants.md).
MANY_MOVING = 60
# Fewest steps of a frame with many moving bodies. Insensitive: 2 and 8 give the same counts of fragments
# (docs/decisions/constants.md).
FEWEST_STEPS = 4
# N s, smallest impulse treated as nonzero in a division; no physical meaning.
TINY_IMPULSE = 1e-30
# Progress within a frame in which a body breaks: share after the critical load, and after the break. They affect only
# the progress bar.
CHECKED, BROKEN = 0.4, 0.9


class Timeline:
    """The rigid run of a job: advances the rigid scene and breaks fragments that are loaded above their critical load.

    Attributes:
        job: The job.
        scene: Its bodies and colliders in a rigid world.
        breaker: Breaks its bodies.
        log: Impacts, breaks and collisions so far.
        first_break: Finished share of the first break, while it is computed; else 0.
    """

    def __init__(
        self,
        job: Job,
        breakables: Sequence[Breakable],
        progress: Progress,
        cache: Cache = NO_CACHE,
        others: Sequence[Surface] = (),
    ):
        """Add all bodies and colliders at their poses on the first frame.

        Args:
            job: The scene.
            breakables: Its bodies.
            progress: As in ``simulate``.
            cache: As in ``simulate``.
            others: Surfaces of the scene's deformable bodies.
        """
        job, breakables, gripped = with_grips(job, breakables)
        self.scene = RigidScene(job, breakables, cache, others)
        self.breaker = Breaker(breakables, cache, lambda share: self._report("Breaking", CHECKED * share))
        self.log = EventLog(self.scene, [item.surface.diagonal for item in breakables], is_on=job.log_events)
        for overlap in self.scene.overlaps:
            self.breaker.statistics[overlap.first].warn(overlaps.warning(overlap, self.scene.groups, breakables))
        self.job, self._progress = job, progress
        self._face_loads = FaceLoads(job, breakables)
        self._grips = Grips(job, gripped, self.breaker)
        self._collapse, self._inertia = Collapse(job, self.breaker), Inertia(job, self.breaker)
        self._sounds = Sounds(job, self.breaker, cache)
        self._activation = Activation(job, self.scene, self.breaker)
        self._row_count = job.frame_end - job.frame_start + 1
        self._row, self._time, self.first_break = 0, 0.0, 0.0
        # Name of the body of the last impact, for progress.
        self._struck_name = ""
        # N s, size of each contact's push in the step before.
        self._pushes: dict[tuple[int, int], float] = {}

    def run(self, until: Callable[[], bool] = lambda: False) -> RunResult:
        """Run all frames, or to the first one after which ``until`` returns true."""
        for row in range(self._row_count):
            self._row = row
            if until():
                self.scene.record(row)
                break
            self.start_frame(row)
            if row + 1 < self._row_count:
                self.advance_frame()
        return self.result()

    def start_frame(self, row: int) -> None:
        """Apply the loads of a frame, counted from the first one, and record it."""
        self._row = row
        self._report_frame(0.0)
        self.breaker.start_frame()
        self._apply_authored_impacts()
        self._apply_face_loads()
        self._apply_slow_loads()
        self._apply_weight()
        self._activation.on_frame(row)
        hold_frozen(self.job, self.scene, row)
        self.scene.record(row)

    def result(self) -> RunResult:
        """Return the run up to the present frame."""
        self.scene.cut_record(self._row + 1)
        scene = self.scene
        events, groups = self.log.events(), scene.groups
        return RunResult(scene.fragments, self.breaker, scene.projectiles, scene.dust, events=events, groups=groups)

    def broke_before(self, frames: int | None) -> bool:
        """Return whether the first break is at least so many frames ago; false for ``None``."""
        rows = [fragment.death_row for fragment in self.scene.fragments if fragment.death_row >= 0]
        return frames is not None and bool(rows) and self._row >= min(rows) + frames

    def advance_frame(self) -> None:
        """Advance by one frame, in the job's number of steps, or in fewer if many bodies move."""
        steps, moving = self.job.substeps, self.scene.world.awake_count()
        if moving > MANY_MOVING:
            steps = min(steps, max(FEWEST_STEPS, round(steps * MANY_MOVING / moving)))
        seconds = 1.0 / (self.job.frame_rate * steps)
        if self.scene.is_at_rest():
            for _ in range(steps):  # one by one, so that the sum is rounded as in other frames
                self._time += seconds
            return
        self.scene.world.calm(1.0 / self.job.frame_rate)
        for step in range(steps):
            self.advance_step(self._row + (step + 1) / steps, seconds)

    def advance_step(self, row: float, seconds: float) -> None:
        """Advance by one step of ``seconds`` to the time ``row``, in frames from the first one."""
        self.scene.follow_tracks(row)
        before = self.scene.free_flight(seconds)
        self.log.start_step(seconds)
        touching = self.scene.world.step(seconds)
        self._time += seconds
        self._apply_contacts([*touching, *kinematic_contacts(self.scene, before, seconds)], before)

    def _apply_contacts(self, touching: Sequence[Contact], before: Motions) -> None:
        """Break the fragments that the contacts of a step load above their critical load, the strongest first."""
        loaded: dict[int, list[tuple[Contact, np.ndarray]]] = {}
        pushes: dict[tuple[int, int], float] = {}
        for contact in touching:
            # A constant push (weight, a pile above) is no impact. Only the increase since the last step counts.
            earlier = self._pushes.get((contact.first, contact.second), 0.0)
            pushes[contact.first, contact.second] = size = length(contact.push)
            share = 1.0 - earlier / max(size, TINY_IMPULSE)
            if size == 0.0 or share <= 0.0:
                continue
            self.log.note(contact, share)
            for key, push in ((contact.first, -share * contact.push), (contact.second, share * contact.push)):
                row = self.scene.fragment_row(key)
                if key not in before or row < 0:
                    continue
                self._activation.note(row, contact, push)
                if self._may_break(self.scene.fragments[row]):
                    loaded.setdefault(row, []).append((contact, push))
        for contact in self.scene.world.contacts.light:
            self.log.note(contact, 1.0)
        self._pushes = pushes
        collisions = {row: found for row in loaded if (found := self._impacts_of(row, loaded[row], before))}
        restored: set[int] = set()
        broken: set[int] = set()
        whole: list[int] = []
        for row in sorted(collisions, key=lambda row: (-max(collision.force for collision in collisions[row]), row)):
            key = self.scene.fragments[row].key
            if self._apply_impacts(row, collisions[row], before, restored):
                broken.add(key)
            else:
                whole.append(row)
        for rebound in self._activation.after_breaks():
            self._restore_partners([rebound], 0.0, before, restored)
        # Not before all breaks of the step: a break restores the motion of bodies that it knows by their keys.
        for row in whole:
            impacts = [impact for collision in collisions[row] for impact in collision.impacts]
            self._dent(row, impacts, self._row + 1)
        self.log.finish_step(self.job.frame_start + self._row + 1, self._time, broken)

    def _may_break(self, fragment: RigidFragment) -> bool:
        """Return whether a contact may break a fragment in this step."""
        breakable = self.breaker.breakables[fragment.body]
        able = can_break(breakable, fragment.depth, len(fragment.cells), fragment.is_cracked)
        return able and fragment.breakable_from <= self._time

    def _impacts_of(self, row: int, loads: Sequence[tuple[Contact, np.ndarray]], before: Motions) -> list[Collision]:
        """Return the impacts of contacts on a fragment; none if all are negligible.

        Args:
            row: Row of the fragment.
            loads: Its contacts, and the push (3,) N s on it in each.
            before: Motions without the contacts of this step.
        """
        fragment = self.scene.fragments[row]
        diagonal = self.breaker.breakables[fragment.body].surface.diagonal
        if fragment.depth:
            bound = sum(peak_force_bound(self.scene, row, contact, push, diagonal) for contact, push in loads)
            if self.breaker.is_negligible(fragment, bound):
                return []
        found = (impact_of_contact(self.scene, row, contact, push, before, diagonal) for contact, push in loads)
        return [collision for collision in found if collision is not None]

    def _apply_impacts(self, row: int, collisions: Sequence[Collision], before: Motions, restored: set[int]) -> bool:
        """Break a fragment by the impacts of one step, if they are strong enough; return whether it broke."""
        fragment = self.scene.fragments[row]
        self._struck_name = self.job.bodies[fragment.body].name
        self._report("Breaking", 0.0)
        impacts = [impact for collision in collisions for impact in collision.impacts]
        if not self.breaker.would_break(fragment, impacts):
            self._report_frame(1.0)
            return False
        pose, (velocity, angular_velocity) = self.scene.world.pose(fragment.key), before[fragment.key]
        rotation = matrices(pose[3:])
        motion = RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)
        result = self._strike(fragment, motion, impacts)
        if result.broken:
            limits = [self._limit(fragment, motion, rotation, collision) for collision in collisions]
            self._report("Cutting", BROKEN)
            breakable_from = self._time + REBREAK_DELAY
            # Where fragments wait, the other bodies keep their motion, and the next step finds what they hit.
            waits = fragment.kinematic and self.job.bodies[fragment.body].settings.motion.waits
            least_gain = np.inf if waits else 0.0
            birth_row = self._row + 1
            taken = self.scene.replace(
                row, pose, motion, result, birth_row, breakable_from, impacts, limits, least_gain
            )
            taken = 0.0 if waits else taken
            self._report_frame(1.0)
            self._restore_partners(collisions, taken, before, restored)
        else:
            self._report_frame(1.0)
        return result.broken

    def _dent(self, row: int, impacts: Sequence[Impact], birth_row: int) -> None:
        """Dent a ductile fragment by impacts that do not break it; ``birth_row`` is the first frame with the dent."""
        dent = self.breaker.dent(self.scene.fragments[row], impacts)
        if dent is not None:
            self.scene.dent(row, dent, birth_row, self._time + REBREAK_DELAY)

    def _strike(self, fragment: RigidFragment, motion: RigidMotion, impacts: Sequence[Impact]) -> Break:
        is_first = not self.breaker.has_broken()

        def report(share: float) -> None:
            self.first_break = share if is_first else 0.0
            self._report("Breaking", CHECKED + (BROKEN - CHECKED) * share)

        result = self.breaker.strike(fragment, motion, impacts, report)
        self.first_break = 0.0
        return result

    def _report_frame(self, share: float) -> None:
        """Report that the rigid world moves on, and the share of the frame that is done."""
        self._progress("Simulating", (self._row + share) / self._row_count)

    def _report(self, stage: str, share: float) -> None:
        """Report a stage of the breaking body, and the share of the frame that is done."""
        self._progress(f"{stage} '{self._struck_name}'", (self._row + share) / self._row_count)

    def _limit(
        self, fragment: RigidFragment, motion: RigidMotion, rotation: np.ndarray, collision: Collision
    ) -> ImpactLimit:
        body = self.job.bodies[fragment.body]
        return impact_limit(
            fragment.properties,
            motion,
            collision.partner_mass,
            rotation.T @ collision.partner_velocity,
            collision.closing_speed,
            body.material.restitution,
            collision.impacts[0].load_factor,
        )

    def _restore_partners(
        self, collisions: Sequence[Collision | Rebound], taken: float, before: Motions, restored: set[int]
    ) -> None:
        """Give the other bodies the momentum that the fragments did not take.

        The step stopped each of them as an unbroken body would. It gets back its motion before the step, minus the
        impulse that the fragments took at the contact.

        Args:
            collisions: Collisions of the fragment, or its contacts while it was held.
            taken: Share of their impulses that the new fragments took, 0 to 1.
            before: Motions without the contacts of this step.
            restored: Keys of bodies whose motion is already restored in this step; extended.
        """
        world = self.scene.world
        for collision in collisions:
            loss = -taken * collision.push
            if collision.partner in restored:
                world.push(collision.partner, loss, collision.point)
            elif collision.partner in before and world.is_free(collision.partner):
                world.set_velocities(collision.partner, *before[collision.partner])
                world.push(collision.partner, loss, collision.point)
                restored.add(collision.partner)
            else:
                # Its motion before the step is unknown (a small fragment), but the contact's push is known.
                world.push(collision.partner, loss + collision.push, collision.point)

    def _apply_authored_impacts(self) -> None:
        """Apply the artist's impacts of this frame to the fragments nearest to them."""
        frame = self.job.frame_start + self._row
        for body_row, body in enumerate(self.job.bodies):
            impacts_of: dict[int, list[AuthoredImpact]] = {}
            for authored in body.impacts:
                # An impact without strength brings no momentum either.
                due = authored.frame == frame and authored.strength > 0.0
                row = self.scene.nearest(body_row, authored.point) if due else -1
                if row < 0:
                    continue
                fragment = self.scene.fragments[row]
                if fragment.depth and (fragment.is_cracked or len(fragment.cells) < FEWEST_CELLS):
                    impulse = push_of(self.breaker, fragment, authored)
                    self._activation.lets_go(fragment, length(impulse) / fragment.properties.mass)
                    self.scene.world.push(fragment.key, impulse, np.asarray(authored.point, float))
                else:
                    impacts_of.setdefault(row, []).append(authored)
            for row, impacts in impacts_of.items():
                self.strike(row, impacts)

    def _apply_face_loads(self) -> None:
        """Load the fragments that blasts, pressures and thermal shocks reach. Those that may not break are pushed."""
        for loads in self._face_loads.on_frame(self.job.frame_start + self._row, self.scene, self.breaker):
            for row, load in loads.items():
                fragment = self.scene.fragments[row]
                breakable = self.breaker.breakables[fragment.body]
                if can_break(breakable, fragment.depth, len(fragment.cells), fragment.is_cracked):
                    self._strike_with(row, load.impacts, load)
                elif not load.distance:
                    self._push(fragment, load.impacts)

    def _apply_slow_loads(self) -> None:
        """Break the fragments that grips and sounds load above their critical load."""
        for row, load in chain(
            self._grips.on_frame(self._row, self.scene), self._sounds.on_frame(self._row, self.scene)
        ):
            self._strike_with(row, load.impacts, load)

    def _apply_weight(self) -> None:
        """Break the standing fragments that cannot carry their weight, and moving ones that their inertia breaks."""
        frame = self.job.frame_start + self._row
        broken = chain(self._collapse.on_frame(self.scene, frame), self._inertia.on_frame(self.scene, frame))
        for row, pose, motion, result in broken:
            self._struck_name = self.job.bodies[self.scene.fragments[row].body].name
            self._report("Cutting", BROKEN)
            self.scene.replace(row, pose, motion, result, self._row, self._time + REBREAK_DELAY)

    def _push(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> None:
        """Give a fragment the momentum of impacts in its rest space."""
        pose = self.scene.world.pose(fragment.key)
        rotation = matrices(pose[3:])
        impulse = sum((impact.impulse * impact.direction for impact in impacts), np.zeros(3))
        self._activation.lets_go(fragment, length(impulse) / fragment.properties.mass)
        for impact in impacts:
            point = pose[:3] + rotation @ (impact.point - fragment.properties.center)
            self.scene.world.push(fragment.key, impact.impulse * (rotation @ impact.direction), point)

    def load(self, row: int, load: Impact, frame_row: int) -> None:
        """Break a fragment if a load that is not from the rigid world is above its critical load.

        Args:
            row: Row of the fragment.
            load: In rest space. The rigid world already has its momentum.
            frame_row: The frame, counted from the first one.
        """
        fragment = self.scene.fragments[row]
        breakable = self.breaker.breakables[fragment.body]
        may_break = can_break(breakable, fragment.depth, len(fragment.cells), fragment.is_cracked)
        if fragment.key < 0 or fragment.breakable_from > self._time or not may_break:
            return
        self._row = frame_row
        if self.breaker.would_break(fragment, [load]):
            self._strike_with(row, [load], FaceLoad((load,), load.point[None], np.zeros((1, 3))))

    def strike(self, row: int, impacts: Sequence[AuthoredImpact]) -> bool:
        """Apply simultaneous impacts of the artist to the living fragment of a row; return whether it broke."""
        fragment = self.scene.fragments[row]
        pose = self.scene.world.pose(fragment.key)
        return self._strike_with(row, [impact_on(self.breaker, fragment, pose, authored) for authored in impacts])

    def _strike_with(self, row: int, loads: Sequence[Impact], faces: FaceLoad | None = None) -> bool:
        """Apply simultaneous impacts to the living fragment of a row; return whether it broke.

        Args:
            row: Row of the fragment.
            loads: The impacts, rest space.
            faces: The load on faces that they are part of; ``None`` if they are not.
        """
        fragment = self.scene.fragments[row]
        self._struck_name = self.job.bodies[fragment.body].name
        self._report("Breaking", 0.0)
        pose, motion = self.scene.motion(fragment)
        result, rotation = self._strike(fragment, motion, loads), matrices(pose[3:])
        frame = self.job.frame_start + self._row
        self.log.add_impacts(fragment, pose, loads, frame, self._time, result.broken)
        if faces is not None:
            density = self.job.bodies[fragment.body].material.density
            result = thrown(result, fragment.own_solid, density, motion, faces)
        if result.broken:
            self._report("Cutting", BROKEN)
            least_gain = self.job.bodies[fragment.body].settings.motion.least_gain
            breakable_from = self._time + REBREAK_DELAY
            self.scene.replace(row, pose, motion, result, self._row, breakable_from, loads, least_gain=least_gain)
        elif not fragment.kinematic or self._activation.lets_go(fragment, length(result.velocity[0] - motion.velocity)):
            velocity, spin = rotation @ result.velocity[0], rotation @ result.angular_velocity[0]
            self.scene.world.set_velocities(fragment.key, velocity, spin)
        if not result.broken and faces is None:
            self._dent(row, loads, self._row)
        self._report_frame(BROKEN)
        return result.broken
