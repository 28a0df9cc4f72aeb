"""The pieces in the rigid world: what each of them is, and how fragments take the place of what broke."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..data.job import Job
from ..data.material import Material
from ..data.solid import cell_centers
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import along, matrices, moved
from ..rigid.contacts import Side, rest_point
from ..rigid.free_flight import FreeFlight
from ..rigid.rigid_properties import RigidProperties, cell_properties, collider_properties
from ..rigid.world import World
from .cache import NOTHING_KEPT, Stages
from .dust import Grains, crumble
from .fragment_motion import Allowance, departures
from .piece import Balls, Breakable, Piece, add_to_world, balls_of, can_break, cut_piece, whole_balls
from .pins import shared_out

# Collision shapes that are made side by side: most of the work is compiled and lets other threads run.
SHAPES_AT_A_TIME = 2


class RigidScene:
    """A job's bodies and colliders in a rigid world.

    Attributes:
        world: They live there.
        pieces: Parents before children; the first are the whole bodies.
        projectiles: Centre of mass (3,) in rest space and poses (T, 7) of each free collider, by its row in the job.
        grains: What dust flies on as grains.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable], stages: Stages = NOTHING_KEPT):
        """Put everything where it is on the first frame.

        Args:
            job: The scene.
            breakables: Its bodies, ready.
            stages: What earlier runs left: the shapes of whole bodies.
        """
        self._job, self._breakables, self._stages = job, breakables, stages
        self._row_count = job.frame_end - job.frame_start + 1
        self.pieces: list[Piece] = []
        self.projectiles: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.grains: list[Grains] = []
        self._properties: dict[int, RigidProperties] = {}
        self._most_inverse_mass: dict[int, float] = {}
        self._piece_of_key: dict[int, int] = {}
        self._collider_keys: list[int] = []
        # In the order of their birth.
        self._breakable_keys: dict[int, None] = {}
        rigid = [
            cell_properties(item.solid.points, item.solid.cells, item.body.material.density) for item in breakables
        ]
        length = float(np.median([item.surface.diagonal for item in breakables]))
        self.world = World(job.gravity, length, float(np.median([item.mass for item in rigid])))
        above = np.mean([item.center for item in rigid], axis=0)
        for row, collider in enumerate(job.colliders):
            key, properties = self.world.add_collider(collider, above)
            self._collider_keys.append(key)
            if collider.mass > 0.0:
                self.projectiles[row] = (properties.center, np.zeros((self._row_count, 7)))
            self._properties[key] = properties if collider.track is None else _unmoved(properties)
        for row, properties in enumerate(rigid):
            self._add_body(row, properties)

    def piece_row(self, key: int) -> int:
        """Row of the piece with a key of the world, -1 for a collider."""
        return self._piece_of_key.get(key, -1)

    def properties(self, key: int) -> RigidProperties:
        """Of a body in the world: of infinite mass where nothing pushes it."""
        return self._properties[key]

    def most_inverse_mass(self, key: int) -> float:
        """1/kg, by which a push on a body in the world speeds up what it touches of it at most; 0 if nothing does."""
        if key not in self._most_inverse_mass:
            properties = self._properties[key]
            moves = bool(np.isfinite(properties.mass))
            self._most_inverse_mass[key] = properties.most_inverse_mass(self.world.reach(key)) if moves else 0.0
        return self._most_inverse_mass[key]

    def material(self, key: int) -> Material | None:
        """Of a body in the world; ``None`` for a collider."""
        row = self.piece_row(key)
        return None if row < 0 else self._job.bodies[self.pieces[row].body].material

    def side(self, key: int) -> Side:
        """What a body brings to a contact."""
        return Side(self._properties[key], self.world.pose(key), self.material(key))

    def motion(self, piece: Piece) -> tuple[np.ndarray, RigidMotion]:
        """Pose (7,) of a living piece, and its motion in rest orientation."""
        pose, (velocity, angular_velocity) = self.world.pose(piece.key), self.world.velocities(piece.key)
        rotation = matrices(pose[3:])
        return pose, RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)

    def free_flight(self, seconds: float) -> FreeFlight:
        """Velocities after a step in which nothing touches, by key: of projectiles and of pieces that may break."""
        keys = [*(self._collider_keys[row] for row in self.projectiles), *self._breakable_keys]
        return self.world.free_flight(keys, seconds)

    def record(self, frame_row: int) -> None:
        """Note the poses of a frame."""
        for piece in self.pieces:
            if piece.key >= 0:
                piece.poses[frame_row] = self.world.pose(piece.key)
        for row, (_, poses) in self.projectiles.items():
            poses[frame_row] = self.world.pose(self._collider_keys[row])

    def follow_tracks(self, frame_row: float) -> None:
        """Send what is animated to where it has to be at a time, in frames since the first one."""
        for key, collider in zip(self._collider_keys, self._job.colliders, strict=True):
            if collider.track is None or self.world.is_free(key):
                continue
            if collider.mass > 0.0 and self._ends(collider.track, frame_row):
                self._let_go(key, collider_properties(collider))
            else:
                self.world.move_to(key, along(collider.track, frame_row, self._properties[key].center))
        for piece in self.pieces:
            if piece.held and piece.key >= 0:
                track = self._job.bodies[piece.body].track
                if self._ends(track, frame_row):
                    piece.held = False
                    self._let_go(piece.key, piece.properties)
                else:
                    self.world.move_to(piece.key, along(track, frame_row, piece.properties.center))

    def replace(
        self,
        row: int,
        pose: np.ndarray,
        motion: RigidMotion,
        result: Break,
        birth_row: int,
        ready: float,
        allowances: Sequence[Allowance] = (),
    ) -> np.ndarray:
        """Put fragments where a piece was.

        Args:
            row: Of the piece.
            pose: (7,) that it had.
            motion: That it had before the blow, rest orientation.
            result: What became of it.
            birth_row: First frame of the fragments, from the job's first.
            ready: s, from then on they may break.
            allowances: What the blows can give; none for no limit.

        Returns:
            (3,) N s, the momentum of all fragments, those dropped included.
        """
        piece = self.pieces[row]
        breakable = self._breakables[piece.body]
        solid, rows = piece.solid, piece.cells
        if result.solid is not None:
            solid, rows = result.solid, np.arange(result.solid.cell_count)
        self.world.remove(piece.key)
        self._properties.pop(piece.key)
        self._breakable_keys.pop(piece.key, None)
        piece.key, piece.death_row, piece.model = -1, birth_row, None
        surfaces = cut_piece(breakable, piece, result)
        rotation, density = matrices(pose[3:]), breakable.body.material.density
        cells_of = [rows[result.fragment_of_cell == fragment] for fragment in range(len(result.velocity))]
        parts = [cell_properties(solid.points, solid.cells[cells], density) for cells in cells_of]
        velocities, turns = departures(piece.properties, motion, parts, result, allowances)
        velocities, turns = velocities @ rotation.T, turns @ rotation.T
        kept = [fragment for fragment in np.flatnonzero(result.kept) if surfaces[fragment]]
        siblings = len(result.velocity)

        def shape(fragment: int) -> Balls:
            mine = cells_of[fragment], surfaces[fragment], parts[fragment]
            return balls_of(breakable, solid, *mine, piece.volume / breakable.volume, siblings)

        anchors = shared_out(piece.anchors, solid.points, solid.cells[rows], result.fragment_of_cell, siblings)
        poses_now = [moved(pose, piece.properties.center, part.center)[0] for part in parts]
        dust = np.flatnonzero(~result.kept)
        if breakable.body.settings.dust == "debris" and piece.crumbled_volume > 0.0:
            share = piece.crumbled_volume * density / sum(parts[fragment].mass for fragment in dust)
            for fragment in dust:
                state = poses_now[fragment], velocities[fragment], turns[fragment], share
                self.grains.append(
                    Grains(piece.body, birth_row, *crumble(solid, cells_of[fragment], parts[fragment], *state))
                )

        def add(fragment: int, balls: Balls) -> None:
            cells, properties = cells_of[fragment], parts[fragment]
            held = piece.held and len(anchors[fragment]) > 0
            key = add_to_world(
                self.world,
                breakable,
                balls,
                properties,
                poses_now[fragment],
                velocities[fragment],
                turns[fragment],
                held=held,
                breakable_again=can_break(breakable, piece.depth + 1, len(cells)),
                whole=False,
            )
            poses = np.zeros((self._row_count, 7))
            depth, drawn = piece.depth + 1, surfaces[fragment]
            child = Piece(piece.body, row, depth, solid, cells, properties, drawn, key, poses, birth_row, ready=ready)
            child.held, child.anchors = held, anchors[fragment]
            self._register(child)

        with ThreadPoolExecutor(SHAPES_AT_A_TIME) as pool:
            # While some get their shape, others are put into the world already.
            for fragment, balls in zip(kept, pool.map(shape, kept), strict=True):
                add(fragment, balls)
        # What is held passes its share on to what holds it.
        return sum(part.mass * velocity for part, velocity in zip(parts, velocities, strict=True))

    def nearest(self, body: int, point: np.ndarray) -> int:
        """Row of the living piece of a body with the cell nearest to a point (3,) of the world."""
        best, nearest = np.inf, -1
        for row, piece in enumerate(self.pieces):
            if piece.body == body and piece.key >= 0:
                rest = rest_point(self.world.pose(piece.key), piece.properties.center, point)
                centers = cell_centers(piece.solid.points, piece.solid.cells[piece.cells])
                distance = float(np.linalg.norm(centers - rest, axis=1).min())
                if distance < best:
                    best, nearest = distance, row
        return nearest

    def _ends(self, track: np.ndarray, frame_row: float) -> bool:
        """Whether a track that ends before the run has ended."""
        return 1 < len(track) < self._row_count and frame_row > len(track) - 1

    def _let_go(self, key: int, properties: RigidProperties) -> None:
        self._properties[key] = properties
        self._most_inverse_mass.pop(key, None)
        self.world.release(key, properties)

    def _add_body(self, row: int, properties: RigidProperties) -> None:
        breakable = self._breakables[row]
        body, solid, cells = breakable.body, breakable.solid, np.arange(breakable.solid.cell_count)
        # With pins only what is pinned is held: of an object's parts that are bodies of their own, not all need be.
        held = body.track is not None and (body.settings.pinned is None or len(breakable.anchors) > 0)
        pose = np.concatenate([properties.center, [1.0, 0.0, 0.0, 0.0]])
        velocity, turn = body.velocity, body.angular_velocity
        surface = breakable.surface
        inputs = surface.points, surface.faces, solid
        balls = self._stages.result("balls", Balls, inputs, lambda: whole_balls(surface, solid))
        key = add_to_world(self.world, breakable, balls, properties, pose, velocity, turn, held=held)
        poses = np.zeros((self._row_count, 7))
        self._register(
            Piece(row, -1, 0, solid, cells, properties, [surface], key, poses, held=held, anchors=breakable.anchors)
        )

    def _register(self, piece: Piece) -> None:
        self._properties[piece.key] = _unmoved(piece.properties) if piece.held else piece.properties
        self._piece_of_key[piece.key] = len(self.pieces)
        if can_break(self._breakables[piece.body], piece.depth, len(piece.cells)):
            self._breakable_keys[piece.key] = None
        self.pieces.append(piece)


def _unmoved(properties: RigidProperties) -> RigidProperties:
    """Those of something as long as nothing can push it."""
    return RigidProperties(np.inf, properties.center, properties.inertia)
