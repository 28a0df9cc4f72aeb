"""One owner of time: bodies move rigidly until a blow is strong enough, break, and go on as rigid fragments.

The impulse of a contact in one step of the rigid world is the whole of a hit, because a step (milliseconds) is longer
than an elastic contact lasts (Hertz). If the peak force of that hit is more than what the struck body bears, the step
is given over to the breaking: the body stays at the pose it had before the step, its fragments leave with the
velocities that the method found, and whatever it struck keeps the momentum that the fragments did not take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from . import contacts
from .assembly import Outcome, assemble
from .breaking import Breaker
from .contacts import Blow, Side, hertz_impacts
from .errors import SceneError, SettingsError
from .impact import Impact, hertz_duration
from .job import AuthoredImpact, Job
from .method import Break, RigidMotion
from .piece import Breakable, Piece, add_to_world, rigid_properties
from .pose import along, matrices, moved
from .preparation import prepare
from .recording import Recording
from .solid import cell_centers
from .world import Contact, RigidProperties, World

# Two bodies that meet more slowly do each other no harm, m/s.
SLOWEST_HIT = 0.3
# Fragments do not break again for this long: the blow that made them is still going on.
PAUSE = 0.02
# Above this many moving pieces the steps get longer, down to the fewest a frame.
MANY_PIECES, FEWEST_STEPS = 60, 4
# Closing speed that sets the duration of an authored impact, m/s.
AUTHORED_SPEED = 5.0

Progress = Callable[[str, float], None]


def simulate(job: Job, progress: Progress) -> Recording:
    """Run a job from its first frame to its last.

    Args:
        job: The scene. The same job gives the same recording, to the bit, on the same machine.
        progress: Called with the stage's name and the share of the whole run that is done, 0 to 1.

    Returns:
        Fragments and motion. Its report has ``bodies``, a mapping a body (``name``, ``cells``, ``bonds``,
        ``fragments``, ``dust_count``, ``dust_volume``, ``volume_error``, ``load_factor``, ``solve_count``, ``breaks``,
        ``repair``, ``warnings``), and ``warnings`` about the scene.

    Raises:
        SceneError: There is nothing to break, or nothing that could break it.
        SettingsError: A frame range, rate or number of sub-steps makes no sense.
        InvalidMeshError: A body's surface cannot be used.
        FractureError: The simulation failed.
    """
    _check(job)
    breakables = [
        prepare(job, row, lambda stage, share: progress(stage, 0.3 * share)) for row in range(len(job.bodies))
    ]
    timeline = Timeline(job, breakables, lambda stage, share: progress(stage, 0.3 + 0.5 * share))
    outcome = timeline.run()
    return assemble(job, outcome, lambda stage, share: progress(stage, 0.8 + 0.2 * share))


def _check(job: Job) -> None:
    if not job.bodies:
        raise SceneError("there is nothing to break; select a mesh object")
    if job.frame_end <= job.frame_start:
        raise SettingsError(
            f"the frame range {job.frame_start} to {job.frame_end} is empty; set the end after the start"
        )
    if not job.frame_rate > 0.0 or job.substeps < 1:
        raise SettingsError(
            f"{job.frame_rate:g} frames a second in {job.substeps} sub-steps make no sense; set both above zero"
        )
    for body in job.bodies:
        if not body.impacts and not job.colliders and len(job.bodies) == 1:
            raise SceneError(
                f"nothing can hit '{body.name}'; add a floor or a projectile (an object with a rigid body), or an impact"
            )


class Timeline:
    """The run of a job: the rigid world and the pieces in it."""

    def __init__(self, job: Job, breakables: Sequence[Breakable], progress: Progress):
        """Put everything where it is on the first frame.

        Args:
            job: The scene.
            breakables: Its bodies, ready.
            progress: As in ``simulate``.
        """
        self.job, self.breaker, self._progress = job, Breaker(breakables), progress
        self.row_count = job.frame_end - job.frame_start + 1
        self.pieces: list[Piece] = []
        self.projectiles: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._row, self._time = 0, 0.0
        self._pushes: dict[tuple[int, int], np.ndarray] = {}
        self._properties: dict[int, RigidProperties] = {}
        self._piece_of_key: dict[int, int] = {}
        self._collider_keys: list[int] = []
        sizes = [breakable.surface.diagonal for breakable in breakables]
        rigid = [
            rigid_properties(item.solid.points, item.solid.cells, item.body.material.density) for item in breakables
        ]
        self.world = World(job.gravity, float(np.median(sizes)), float(np.median([item.mass for item in rigid])))
        above = np.mean([item.center for item in rigid], axis=0)
        for row, collider in enumerate(job.colliders):
            key, properties = self.world.add_collider(collider, above)
            self._collider_keys.append(key)
            self._properties[key] = properties
            if collider.mass > 0.0:
                self.projectiles[row] = (properties.center, np.zeros((self.row_count, 7)))
        for row, properties in enumerate(rigid):
            self._add_body(row, properties)

    def run(self) -> Outcome:
        """Go through all frames."""
        for self._row in range(self.row_count):
            self.breaker.start_frame()
            self._authored()
            self._record()
            share = self._row / self.row_count
            self._progress("Simulating", share)
            if self._row + 1 < self.row_count:
                self._advance_frame()
        return Outcome(self.pieces, self.breaker, self.projectiles)

    def _add_body(self, row: int, properties: RigidProperties) -> None:
        breakable = self.breaker.breakables[row]
        body, cells = breakable.body, np.arange(breakable.solid.cell_count)
        held = body.track is not None
        pose = np.concatenate([properties.center, [1.0, 0.0, 0.0, 0.0]])
        key = add_to_world(
            self.world, breakable, cells, properties, pose, body.velocity, body.angular_velocity, held=held
        )
        self._register(Piece(row, -1, 0, cells, properties, key, np.zeros((self.row_count, 7)), held=held))

    def _register(self, piece: Piece) -> None:
        self._properties[piece.key] = (
            RigidProperties(np.inf, piece.properties.center, piece.properties.inertia)
            if piece.held
            else piece.properties
        )
        self._piece_of_key[piece.key] = len(self.pieces)
        self.pieces.append(piece)

    def _record(self) -> None:
        for piece in self.pieces:
            if piece.key >= 0:
                piece.poses[self._row] = self.world.pose(piece.key)
        for row, (_, poses) in self.projectiles.items():
            poses[self._row] = self.world.pose(self._collider_keys[row])

    def _advance_frame(self) -> None:
        steps, moving = self.job.substeps, self.world.awake_count()
        if moving > MANY_PIECES:
            steps = min(steps, max(FEWEST_STEPS, round(steps * MANY_PIECES / moving)))
        seconds = 1.0 / (self.job.frame_rate * steps)
        for step in range(steps):
            self._move_animated(self._row + (step + 1) / steps)
            before = {
                piece.key: (self.world.pose(piece.key), *self.world.velocities(piece.key))
                for piece in self.pieces
                if piece.key >= 0 and self.breaker.can_break(piece)
            }
            touching = self.world.step(seconds)
            self._time += seconds
            self._hits(touching, before, seconds)

    def _move_animated(self, row: float) -> None:
        for key, collider in zip(self._collider_keys, self.job.colliders, strict=True):
            if collider.track is not None and not collider.mass > 0.0:
                self.world.move_to(key, along(collider.track, row, self._properties[key].center))
        for piece in self.pieces:
            if piece.held and piece.key >= 0:
                track = self.job.bodies[piece.body].track
                self.world.move_to(piece.key, along(track, row, piece.properties.center))

    def _hits(self, touching: Sequence[Contact], before, seconds: float) -> None:
        """Break what the contacts of a step were too much for."""
        blows: dict[int, list[Blow]] = {}
        pushes = {(contact.first, contact.second): contact.push for contact in touching}
        for contact in touching:
            # A lasting push (weight, a pile above) is no hit: only what was added since the step before is.
            earlier = self._pushes.get((contact.first, contact.second), np.zeros(3))
            share = 1.0 - np.linalg.norm(earlier) / np.linalg.norm(contact.push)
            for key, partner, sign in (
                (contact.first, contact.second, -1.0),
                (contact.second, contact.first, 1.0),
            ):
                if share > 0.0 and key in before and self.pieces[self._piece_of_key[key]].ready <= self._time:
                    blow = self._blow(contact, key, partner, sign * share * contact.push, before[key][0])
                    if blow is not None:
                        blows.setdefault(blow.piece, []).append(blow)
        self._pushes = pushes
        for row in sorted(blows, key=lambda row: (-max(blow.force for blow in blows[row]), row)):
            self._hit(row, blows[row], before[self.pieces[row].key], seconds)

    def _blow(self, contact: Contact, key: int, partner: int, push: np.ndarray, pose: np.ndarray) -> Blow | None:
        row = self._piece_of_key[key]
        piece = self.pieces[row]
        offsets, gaps = self.world.touching(contact, key)
        if not len(offsets):
            return None
        other_piece = self._piece_of_key.get(partner)
        struck = Side(self._properties[key], pose, self.job.bodies[piece.body].material)
        other = Side(
            self._properties[partner],
            self.world.pose(partner),
            None if other_piece is None else self.job.bodies[self.pieces[other_piece].body].material,
        )
        breakable = self.breaker.breakables[piece.body]
        speed, impacts = hertz_impacts(
            struck, other, offsets, gaps, push, size=breakable.cell_size, diagonal=breakable.surface.diagonal
        )
        if speed < SLOWEST_HIT:
            return None
        point = pose[:3] + matrices(pose[3:]) @ offsets[0]
        return Blow(row, partner, push, point, impacts)

    def _hit(self, row: int, blows: Sequence[Blow], before, seconds: float) -> None:
        piece = self.pieces[row]
        impacts = [impact for blow in blows for impact in blow.impacts]
        if piece.key < 0 or not self.breaker.is_enough(piece, impacts):
            return
        pose, velocity, angular_velocity = before
        if not piece.held:
            velocity = velocity + self.world.gravity * seconds
        rotation = matrices(pose[3:])
        motion = RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)
        result = self._strike(piece, motion, impacts)
        if not result.broken:
            return
        masses = self._replace(row, pose, result, self._row + 1)
        self._give_back(blows, self._taken(piece, masses, result, pose, velocity))

    def _strike(self, piece: Piece, motion: RigidMotion, impacts: Sequence[Impact]) -> Break:
        start, step = self._row / self.row_count, 0.9 / self.row_count
        return self.breaker.strike(
            piece, motion, impacts, lambda share: self._progress("Breaking", start + step * share)
        )

    def _taken(self, piece: Piece, masses: np.ndarray, result: Break, pose: np.ndarray, velocity) -> np.ndarray:
        """(3,) N s that the fragments took from what struck them, world orientation."""
        after = matrices(pose[3:]) @ (masses @ result.velocity)
        return after - piece.properties.mass * velocity

    def _give_back(self, blows: Sequence[Blow], taken: np.ndarray) -> None:
        """Leave what struck a piece with the momentum that its fragments did not take.

        The step has stopped it as a whole piece would have. It is never left with less than that: a violence above 1
        invents momentum, which must not throw a projectile back.
        """
        sizes = [float(np.linalg.norm(blow.push)) for blow in blows]
        whole = float(np.linalg.norm(sum(blow.push for blow in blows)))
        taken = taken * min(1.0, whole / max(float(np.linalg.norm(taken)), 1e-30))
        for blow, size in zip(blows, sizes, strict=True):
            mass = self._properties[blow.partner].mass
            if np.isfinite(mass) and self.world.holds(blow.partner):
                self.world.push(blow.partner, blow.push - taken * (size / sum(sizes)), blow.point)

    def _replace(self, row: int, pose: np.ndarray, result: Break, birth_row: int) -> np.ndarray:
        """Put fragments where a piece was; returns (N,) the masses of all of them, those dropped included."""
        piece = self.pieces[row]
        breakable = self.breaker.breakables[piece.body]
        solid, density = breakable.solid, breakable.body.material.density
        self.world.remove(piece.key)
        self._properties.pop(piece.key)
        piece.key, piece.death_row, piece.model = -1, birth_row, None
        masses = np.zeros(len(result.velocity))
        rotation = matrices(pose[3:])
        for fragment in range(len(result.velocity)):
            cells = piece.cells[result.fragment_of_cell == fragment]
            properties = rigid_properties(solid.points, solid.cells[cells], density)
            masses[fragment] = properties.mass
            if not result.kept[fragment]:
                continue
            key = add_to_world(
                self.world,
                breakable,
                cells,
                properties,
                moved(pose, piece.properties.center, properties.center)[0],
                rotation @ result.velocity[fragment],
                rotation @ result.angular_velocity[fragment],
            )
            poses = np.zeros((self.row_count, 7))
            child = Piece(piece.body, row, piece.depth + 1, cells, properties, key, poses, birth_row)
            child.ready = self._time + PAUSE
            self._register(child)
        return masses

    def _authored(self) -> None:
        """Strike what the artist's blows of this frame are aimed at."""
        for body_row, body in enumerate(self.job.bodies):
            aimed: dict[int, list[Impact]] = {}
            for authored in body.impacts:
                if authored.frame == self.job.frame_start + self._row:
                    row = self._nearest(body_row, authored.point)
                    aimed.setdefault(row, []).append(self._impact(self.pieces[row], authored))
            for row, impacts in aimed.items():
                piece = self.pieces[row]
                pose, (velocity, angular_velocity) = self.world.pose(piece.key), self.world.velocities(piece.key)
                rotation = matrices(pose[3:])
                motion = RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)
                result = self._strike(piece, motion, impacts)
                if result.broken:
                    self._replace(row, pose, result, self._row)
                elif not piece.held:
                    self.world.set_velocities(
                        piece.key, rotation @ result.velocity[0], rotation @ result.angular_velocity[0]
                    )

    def _nearest(self, body: int, point: np.ndarray) -> int:
        """Row of the living piece of a body with a cell nearest to a point of the world."""
        solid = self.breaker.breakables[body].solid
        centers = cell_centers(solid.points, solid.cells)
        best, nearest = np.inf, -1
        for row, piece in enumerate(self.pieces):
            if piece.body == body and piece.key >= 0:
                rest = contacts.rest_point(self.world.pose(piece.key), piece.properties.center, point)
                distance = float(np.linalg.norm(centers[piece.cells] - rest, axis=1).min())
                if distance < best:
                    best, nearest = distance, row
        return nearest

    def _impact(self, piece: Piece, authored: AuthoredImpact) -> Impact:
        """The artist's blow in rest space, as strong as a multiple of what the piece just bears."""
        breakable = self.breaker.breakables[piece.body]
        pose = self.world.pose(piece.key)
        point = contacts.rest_point(pose, piece.properties.center, authored.point)
        direction = matrices(pose[3:]).T @ np.asarray(authored.direction, float)
        radius = authored.radius or contacts.PATCH_CELLS * breakable.cell_size
        duration = hertz_duration(
            piece.properties.mass,
            contacts.CURVATURE_SHARE * breakable.surface.diagonal,
            contacts.effective_modulus(breakable.body.material, None),
            AUTHORED_SPEED,
        )
        unit = Impact(point, direction, 0.5 * duration, duration, radius)
        critical = self.breaker.critical_force(piece, unit)
        return Impact(point, direction, 0.5 * authored.strength * critical * duration, duration, radius)
