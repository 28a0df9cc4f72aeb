"""One owner of time: bodies move rigidly until a blow is strong enough, break, and go on as rigid fragments.

The impulse of a contact in one step of the rigid world is the whole of a hit, because a step (milliseconds) is longer
than an elastic contact lasts (Hertz). If the peak force of that hit is more than what the struck body bears, the step
is taken back as far as the body's speed goes: its fragments leave from where the body touches, with the velocities that
the method found from the motion before, and whatever it struck keeps the momentum that the fragments did not take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..data.impact import Impact, hertz_duration
from ..data.job import AuthoredImpact, Job
from ..data.recording import Recording
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import length, matrices
from ..rigid import contacts
from ..rigid.contacts import Blow
from ..rigid.world import Contact
from . import islands
from .assembly import Outcome, assemble
from .breaking import Breaker
from .cache import NOTHING_KEPT, Stages
from .collisions import Motions, blow_of, collisions, most_force
from .deformable import together
from .fragment_motion import Allowance, allowance
from .impact_forecast import aimed
from .piece import FEWEST_CELLS, Breakable, Piece
from .preparation import check, prepare
from .rigid_scene import RigidScene

# Fragments do not break again for this long: the blow that made them is still going on.
PAUSE = 0.02
# Above this many moving pieces the steps get longer, down to the fewest a frame.
MANY_PIECES, FEWEST_STEPS = 60, 4
# Closing speed that sets the duration of an authored impact, m/s.
AUTHORED_SPEED = 5.0
# Of a frame in which a body breaks, the share that it takes to find what it bears.
CHECKING = 0.4

Progress = Callable[[str, float], None]


def simulate(job: Job, progress: Progress, stages: Stages = NOTHING_KEPT) -> Recording:
    """Run a job from its first frame to its last.

    Args:
        job: The scene. The same job gives the same recording, to the bit, on the same machine.
        progress: Called with the stage's name and the share of the whole run that is done, 0 to 1.
        stages: What earlier runs left; it has no influence on the recording.

    Returns:
        Fragments and motion. Its report has ``bodies``, a mapping a body (``name``, ``cells``, ``bonds``,
        ``fragments``, ``dust_count``, ``dust_volume``, ``volume_error``, ``load_factor``, ``solve_count``, ``breaks``,
        ``repair``, ``warnings``), and ``warnings`` about the scene.

    Raises:
        SceneError: There is nothing to break, or nothing that could break it.
        SettingsError: A frame range, rate or number of sub-steps makes no sense, or parts that deform are to be bodies.
        InvalidMeshError: A body's surface cannot be used.
        FractureError: The simulation failed.
    """
    check(job)

    def preparing(stage: str, share: float) -> None:
        progress(stage, 0.3 * share)

    asked = job
    job, owners = islands.apart(job)
    soft = together.rows(job)
    job = aimed(job)
    breakables = [prepare(job, row, preparing, stages) for row in range(len(job.bodies))]

    def run_rigid(job: Job, breakables: Sequence[Breakable], progress: Progress) -> Recording:
        outcome = Timeline(job, breakables, lambda stage, share: progress(stage, 0.7 * share), stages).run()
        return assemble(job, outcome, lambda stage, share: progress(stage, 0.7 + 0.3 * share))

    def simulating(stage: str, share: float) -> None:
        progress(stage, 0.3 + 0.7 * share)

    if soft:
        recording = together.simulate(job, breakables, soft, run_rigid, simulating, stages)
    else:
        recording = run_rigid(job, breakables, simulating)
    return islands.together(recording, asked, owners)


class Timeline:
    """The run of a job: advances the rigid scene, and lets break what is hit hard enough."""

    def __init__(self, job: Job, breakables: Sequence[Breakable], progress: Progress, stages: Stages = NOTHING_KEPT):
        """Put everything where it is on the first frame.

        Args:
            job: The scene.
            breakables: Its bodies, ready.
            progress: As in ``simulate``.
            stages: As in ``simulate``.
        """
        self.scene = RigidScene(job, breakables, stages)
        self.breaker = Breaker(breakables, stages, lambda share: self._report("Breaking", CHECKING * share))
        self._job, self._progress = job, progress
        self._row_count = job.frame_end - job.frame_start + 1
        self._row, self._time = 0, 0.0
        # Name of the body that was struck last, for progress.
        self._struck = ""
        # N s, what each two pressed against each other in the step before.
        self._pushes: dict[tuple[int, int], float] = {}

    def run(self, until: Callable[[], bool] = lambda: False) -> Outcome:
        """Go through all frames, or to the first one after which ``until`` is true."""
        for row in range(self._row_count):
            if until():
                break
            self._row = row
            self._progress("Simulating", row / self._row_count)
            self.breaker.start_frame()
            self._authored()
            self.scene.record(row)
            if row + 1 < self._row_count:
                self.advance_frame()
        return Outcome(self.scene.pieces, self.breaker, self.scene.projectiles, self.scene.grains)

    def advance_frame(self) -> None:
        """Go on by one frame, in as many steps as the job wants, or fewer where very many pieces move."""
        steps, moving = self._job.substeps, self.scene.world.awake_count()
        if moving > MANY_PIECES:
            steps = min(steps, max(FEWEST_STEPS, round(steps * MANY_PIECES / moving)))
        seconds = 1.0 / (self._job.frame_rate * steps)
        world = self.scene.world
        world.calm()
        for step in range(steps):
            self.scene.follow_tracks(self._row + (step + 1) / steps)
            before = self.scene.free_flight(seconds)
            touching = world.step(seconds)
            self._time += seconds
            self._hits([*touching, *collisions(self.scene, before, seconds)], before)

    def _hits(self, touching: Sequence[Contact], before: Motions) -> None:
        """Break what the contacts of a step were too much for."""
        hits: dict[int, list[tuple[Contact, np.ndarray]]] = {}
        pushes: dict[tuple[int, int], float] = {}
        for contact in touching:
            # A lasting push (weight, a pile above) is no hit: only what was added since the step before is.
            earlier = self._pushes.get((contact.first, contact.second), 0.0)
            pushes[contact.first, contact.second] = size = length(contact.push)
            share = 1.0 - earlier / max(size, 1e-30)
            if size == 0.0 or share <= 0.0:
                continue
            for key, push in ((contact.first, -share * contact.push), (contact.second, share * contact.push)):
                row = self.scene.piece_row(key)
                # Not too soon after its birth: the blow that made it is still going on.
                if key in before and row >= 0 and self.scene.pieces[row].ready <= self._time:
                    hits.setdefault(row, []).append((contact, push))
        self._pushes = pushes
        blows = {row: found for row in hits if (found := self._blows(row, hits[row], before))}
        restored: set[int] = set()
        for row in sorted(blows, key=lambda row: (-max(blow.force for blow in blows[row]), row)):
            self._hit(row, blows[row], before, restored)

    def _blows(self, row: int, hits: Sequence[tuple[Contact, np.ndarray]], before: Motions) -> list[Blow]:
        """Contacts of a piece, with the push (3,) on it in each, as blows; none where they are all slight."""
        piece = self.scene.pieces[row]
        diagonal = self.breaker.breakables[piece.body].surface.diagonal
        if piece.depth:
            most = max(most_force(self.scene, row, contact, push, diagonal) for contact, push in hits)
            if self.breaker.is_slight(piece, most):
                return []
        blows = (blow_of(self.scene, row, contact, push, before, diagonal) for contact, push in hits)
        return [blow for blow in blows if blow is not None]

    def _hit(self, row: int, blows: Sequence[Blow], before: Motions, restored: set[int]) -> None:
        piece = self.scene.pieces[row]
        self._struck = self._job.bodies[piece.body].name
        self._report("Breaking", 0.0)
        impacts = [impact for blow in blows for impact in blow.impacts]
        if not self.breaker.is_enough(piece, impacts):
            return
        pose, (velocity, angular_velocity) = self.scene.world.pose(piece.key), before[piece.key]
        rotation = matrices(pose[3:])
        motion = RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)
        result = self._strike(piece, motion, impacts)
        if result.broken:
            allowances = [self._allowance(piece, motion, rotation, blow) for blow in blows]
            ready = self._time + PAUSE
            self._report("Cutting", 0.9)
            momentum = self.scene.replace(row, pose, motion, result, self._row + 1, ready, allowances)
            self._progress("Simulating", (self._row + 1.0) / self._row_count)
            self._give_back(blows, momentum - piece.properties.mass * velocity, before, restored)

    def _strike(self, piece: Piece, motion: RigidMotion, impacts: Sequence[Impact]) -> Break:
        return self.breaker.strike(
            piece, motion, impacts, lambda share: self._report("Breaking", CHECKING + (0.9 - CHECKING) * share)
        )

    def _report(self, stage: str, share: float) -> None:
        """Report a stage of the struck body, and the share of the frame that is done."""
        self._progress(f"{stage} '{self._struck}'", (self._row + share) / self._row_count)

    def _allowance(self, piece: Piece, motion: RigidMotion, rotation: np.ndarray, blow: Blow) -> Allowance:
        body = self._job.bodies[piece.body]
        return allowance(
            piece.properties,
            motion,
            blow.partner_mass,
            rotation.T @ blow.partner_velocity,
            blow.closing_speed,
            body.material.restitution,
            body.settings.violence,
        )

    def _give_back(self, blows: Sequence[Blow], taken: np.ndarray, before: Motions, restored: set[int]) -> None:
        """Leave what struck a piece with the momentum that the fragments did not take.

        The step has stopped it as a whole piece would have: it gets back its motion from before, and then pays for what
        the fragments took. It never pays more than that: a violence above 1 invents momentum, which must not throw a
        projectile back.

        Args:
            blows: On the piece.
            taken: (3,) N s, what the fragments have more than the piece had.
            before: Motions without the contacts of this step.
            restored: Keys of those who have their motion back, in this step.
        """
        world = self.scene.world
        sizes = [float(np.linalg.norm(blow.push)) for blow in blows]
        whole = float(np.linalg.norm(sum(blow.push for blow in blows)))
        taken = taken * min(1.0, whole / max(float(np.linalg.norm(taken)), 1e-30))
        for blow, size in zip(blows, sizes, strict=True):
            payment = -taken * (size / sum(sizes))
            if blow.partner in restored:
                world.push(blow.partner, payment, blow.point)
            elif blow.partner in before and world.is_free(blow.partner):
                world.set_velocities(blow.partner, *before[blow.partner])
                world.push(blow.partner, payment, blow.point)
                restored.add(blow.partner)
            else:
                # Its motion before is not known (a crumb), but what the contact did to it is.
                world.push(blow.partner, payment + blow.push, blow.point)

    def _authored(self) -> None:
        """Strike what the artist's blows of this frame are aimed at."""
        frame = self._job.frame_start + self._row
        for body_row, body in enumerate(self._job.bodies):
            aimed: dict[int, list[Impact]] = {}
            for authored in body.impacts:
                # An impact without strength brings no momentum either.
                falls = authored.frame == frame and authored.strength > 0.0
                row = self.scene.nearest(body_row, authored.point) if falls else -1
                if row < 0:
                    continue
                piece = self.scene.pieces[row]
                if piece.depth and len(piece.cells) < FEWEST_CELLS:
                    self._push(piece, authored)
                else:
                    self._struck = body.name
                    self._report("Breaking", 0.0)
                    aimed.setdefault(row, []).append(self._impact(piece, authored))
            for row, impacts in aimed.items():
                piece = self.scene.pieces[row]
                pose, motion = self.scene.motion(piece)
                result, rotation = self._strike(piece, motion, impacts), matrices(pose[3:])
                if result.broken:
                    self._report("Cutting", 0.9)
                    self.scene.replace(row, pose, motion, result, self._row, self._time + PAUSE)
                elif not piece.held:
                    velocity, turn = rotation @ result.velocity[0], rotation @ result.angular_velocity[0]
                    self.scene.world.set_velocities(piece.key, velocity, turn)

    def _push(self, piece: Piece, authored: AuthoredImpact) -> None:
        """Let the artist's impact push a fragment that is too small to break: it bears about its strength a cell."""
        material = self._job.bodies[piece.body].material
        force = authored.strength * material.tensile_strength * piece.cell_size**2
        direction = np.asarray(authored.direction, float)
        impulse = 0.5 * force * self._duration(piece) * direction / length(direction)
        self.scene.world.push(piece.key, impulse, np.asarray(authored.point, float))

    def _duration(self, piece: Piece) -> float:
        """s, of an authored impact."""
        breakable = self.breaker.breakables[piece.body]
        return hertz_duration(
            piece.properties.mass,
            contacts.CURVATURE_SHARE * breakable.surface.diagonal,
            contacts.effective_modulus(breakable.body.material, None),
            AUTHORED_SPEED,
        )

    def _impact(self, piece: Piece, authored: AuthoredImpact) -> Impact:
        """The artist's blow in rest space, as strong as a multiple of what the piece just bears."""
        pose = self.scene.world.pose(piece.key)
        point = contacts.rest_point(pose, piece.properties.center, authored.point)
        direction = matrices(pose[3:]).T @ np.asarray(authored.direction, float)
        radius = authored.radius or contacts.PATCH_CELLS * piece.cell_size
        duration = self._duration(piece)
        critical = self.breaker.critical_force(piece, Impact(point, direction, 1.0, duration, radius))
        return Impact(point, direction, 0.5 * authored.strength * critical * duration, duration, radius)
