"""Fragments and colliders of a job in the rigid world, and the replacement of a fragment by those it broke into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..data.impact import Impact
from ..data.job import Job
from ..data.material import Material
from ..data.solid import cell_centers
from ..data.surface import Surface, joined
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import matrices, moved, pose_on_track
from ..rigid.contacts import Side, rest_point
from ..rigid.engine import TOUCHES_EVERYTHING, CollisionGroup
from ..rigid.free_flight import FreeFlight
from ..rigid.rigid_properties import RigidProperties, collider_properties
from ..rigid.world import World
from .cache import NO_CACHE, Cache
from .dents import Dent, dented
from .dust import DustBurst
from .fragment_motion import ImpactLimit
from .fragment_surfaces import surface_properties
from .new_fragments import new_fragments
from .overlaps import collision_groups, find_overlaps
from .rigid_fragment import (
    Breakable,
    CollisionShape,
    RigidFragment,
    can_break,
    whole_shape,
)
from .shared_tracks import track_groups

# Threads that build collision shapes: most of the work is compiled and releases the interpreter lock. It affects only
# the time: from 1 to 40 all recordings keep their bytes.
SHAPE_THREADS = 2


class RigidScene:
    """A job's bodies and colliders in a rigid world.

    Attributes:
        world: The rigid world.
        fragments: Parents before children; the first are the whole bodies.
        projectiles: Centre of mass (3,) m in rest space and poses (T, 7) of each free collider, by its row in the job.
        dust: Dust that is kept as points.
        collider_keys: Keys of the job's colliders in the world.
        overlaps: Pairs of bodies that overlap deeply on the first frame.
        groups: Collision groups of bodies that pass through another body, by the row of the body.
    """

    def __init__(
        self, job: Job, breakables: Sequence[Breakable], cache: Cache = NO_CACHE, others: Sequence[Surface] = ()
    ):
        """Add all bodies and colliders at their poses on the first frame.

        Args:
            job: The scene.
            breakables: Its bodies.
            cache: Collision shapes of whole bodies from earlier runs.
            others: Surfaces of the deformable bodies. They give the scale of a scene without rigid bodies.
        """
        self._job, self._breakables, self._cache = job, breakables, cache
        self._row_count = job.frame_end - job.frame_start + 1
        self.fragments: list[RigidFragment] = []
        self.projectiles: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.dust: list[DustBurst] = []
        self._properties: dict[int, RigidProperties] = {}
        self._most_inverse_mass: dict[int, float] = {}
        self._row_of_key: dict[int, int] = {}
        self.collider_keys: list[int] = []
        # Keys of fragments that may break or wait for an impact, in the order of birth.
        self._watched_keys: dict[int, None] = {}
        # ``World.changes`` when the last frame was recorded, and that frame's row.
        self._recorded = -1, -1
        self.overlaps = find_overlaps(breakables)
        self.groups = collision_groups(self.overlaps)
        self._track_groups = track_groups([item.body.track for item in breakables], self.groups)
        rigid = [
            surface_properties(item, [part.surface for part in item.objects], range(len(item.objects)))
            for item in breakables
        ]
        surfaces = [item.surface for item in breakables] or others
        length = float(np.median([surface.diagonal for surface in surfaces]))
        masses = [item.mass for item in rigid] or [item.mass for item in job.colliders if item.mass > 0.0] or [1.0]
        mass = float(np.median(masses))
        self.world = World(job.gravity, length, mass, notes_light_contacts=job.log_events)
        above = np.mean([item.center for item in rigid] or [item.points.mean(axis=0) for item in others], axis=0)
        for row, collider in enumerate(job.colliders):
            key, properties = self.world.add_collider(collider, above)
            self.collider_keys.append(key)
            if collider.mass > 0.0:
                self.projectiles[row] = (properties.center, np.zeros((self._row_count, 7)))
            self._properties[key] = properties if collider.track is None else _immovable(properties)
        for row, properties in enumerate(rigid):
            self._add_body(row, properties)

    def fragment_row(self, key: int) -> int:
        """Return the row of the fragment with a key of the world; -1 for a collider."""
        return self._row_of_key.get(key, -1)

    def properties(self, key: int) -> RigidProperties:
        """Return the properties of a body in the world; its mass is infinite if it is fixed or kinematic."""
        return self._properties[key]

    def most_inverse_mass(self, key: int) -> float:
        """Return the greatest speed per impulse of any point of a body in the world, 1/kg; 0 if it cannot move."""
        if key not in self._most_inverse_mass:
            properties = self._properties[key]
            moves = bool(np.isfinite(properties.mass))
            self._most_inverse_mass[key] = properties.most_inverse_mass(self.world.reach(key)) if moves else 0.0
        return self._most_inverse_mass[key]

    def kinematic_keys(self) -> list[int]:
        """Return the keys of the bodies in the world that follow a track."""
        colliders = zip(self.collider_keys, self._job.colliders, strict=True)
        keys = [key for key, collider in colliders if collider.track is not None and not self.world.is_free(key)]
        return keys + [fragment.key for fragment in self.fragments if fragment.kinematic and fragment.key >= 0]

    def collider_pose(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the pose (7,) of a point of the job's collider, and that point (3,) in rest space."""
        key = self.collider_keys[row]
        return self.world.pose(key), self._properties[key].center

    def material(self, key: int) -> Material | None:
        """Return the material of a body in the world; ``None`` for a collider."""
        row = self.fragment_row(key)
        return None if row < 0 else self._job.bodies[self.fragments[row].body].material

    def restitution(self, key: int) -> float:
        """Return the restitution of a body in the world, or of a collider."""
        material = self.material(key)
        return (
            self._job.colliders[self.collider_keys.index(key)].restitution if material is None else material.restitution
        )

    def violence(self, row: int) -> float:
        """Return the load factor of impacts on the fragment of a row."""
        fragment = self.fragments[row]
        return self._job.bodies[fragment.body].violence(fragment.depth)

    def side(self, key: int) -> Side:
        """Return a body's properties, pose and material for a contact."""
        return Side(self._properties[key], self.world.pose(key), self.material(key))

    def motion(self, fragment: RigidFragment) -> tuple[np.ndarray, RigidMotion]:
        """Return the pose (7,) of a living fragment, and its motion in rest orientation."""
        pose, (velocity, angular_velocity) = self.world.pose(fragment.key), self.world.velocities(fragment.key)
        rotation = matrices(pose[3:])
        return pose, RigidMotion(rotation.T @ velocity, rotation.T @ angular_velocity)

    def free_flight(self, seconds: float) -> FreeFlight:
        """Return the velocities after a step without contacts, by key, of projectiles and watched fragments.

        A fragment is watched if it may break or waits for an impact.
        """
        keys = [*(self.collider_keys[row] for row in self.projectiles), *self._watched_keys]
        return self.world.free_flight(keys, seconds)

    def free_flight_of_all(self, seconds: float) -> FreeFlight:
        """Return the velocities after a step without contacts, by key, of projectiles and of all living fragments."""
        living = [fragment.key for fragment in self.fragments if fragment.key >= 0]
        return self.world.free_flight([*(self.collider_keys[row] for row in self.projectiles), *living], seconds)

    def is_at_rest(self) -> bool:
        """Return whether all bodies sleep, and none follows a track: steps would change nothing."""
        return self.world.is_at_rest() and not self.kinematic_keys()

    def record(self, frame_row: int) -> None:
        """Record the poses of a frame."""
        recorded, self._recorded = self._recorded, (self.world.changes, frame_row)
        if recorded == (self.world.changes, frame_row - 1):
            for poses in self._living_poses():
                poses[frame_row] = poses[frame_row - 1]
            return
        for fragment in self.fragments:
            if fragment.key >= 0:
                fragment.poses[frame_row] = self.world.pose(fragment.key)
        for row, (_, poses) in self.projectiles.items():
            poses[frame_row] = self.world.pose(self.collider_keys[row])

    def _living_poses(self) -> Iterator[np.ndarray]:
        """Yield the poses (T, 7) of living fragments and of projectiles."""
        yield from (fragment.poses for fragment in self.fragments if fragment.key >= 0)
        yield from (poses for _, poses in self.projectiles.values())

    def cut_record(self, row_count: int) -> None:
        """Keep the poses of the first ``row_count`` frames only."""
        for fragment in self.fragments:
            fragment.poses = fragment.poses[:row_count]
        self.projectiles = {row: (center, poses[:row_count]) for row, (center, poses) in self.projectiles.items()}

    def follow_tracks(self, frame_row: float) -> None:
        """Move kinematic bodies to their poses at a time in frames since the first frame; release them at the end."""
        for key, collider in zip(self.collider_keys, self._job.colliders, strict=True):
            if collider.track is None or self.world.is_free(key):
                continue
            if collider.mass > 0.0 and self._ends(collider.track, frame_row):
                self._release(key, collider_properties(collider))
            else:
                self.world.move_to(key, pose_on_track(collider.track, frame_row, self._properties[key].center))
        for fragment in self.fragments:
            track = self._job.bodies[fragment.body].track if fragment.track is None else fragment.track
            if fragment.kinematic and not fragment.is_frozen and fragment.key >= 0 and track is not None:
                if self._ends(track, frame_row):
                    self.let_go(fragment)
                else:
                    self.world.move_to(fragment.key, pose_on_track(track, frame_row, fragment.properties.center))

    def replace(
        self,
        row: int,
        pose: np.ndarray,
        motion: RigidMotion,
        result: Break,
        birth_row: int,
        breakable_from: float,
        impacts: Sequence[Impact] = (),
        limits: Sequence[ImpactLimit] = (),
        least_gain: float = 0.0,
    ) -> float:
        """Replace a fragment by those it broke into.

        Args:
            row: Row of the fragment.
            pose: (7,) its pose.
            motion: Its motion before the impact, rest orientation.
            result: Result of the method.
            birth_row: First frame of the new fragments, from the job's first frame.
            breakable_from: s, time from which they may break.
            impacts: Impacts that broke it, rest space.
            limits: Limits of the impacts; empty for no limit.
            least_gain: m/s, gain in speed below which the fragments of a kinematic one wait (``activation``).

        Returns:
            Share of the impulse of the impacts, 0 to 1, that the new fragments took, dropped dust included.
        """
        parent = self.fragments[row]
        breakable = self._breakables[parent.body]
        self._end(parent, birth_row)
        new = new_fragments(breakable, parent, pose, motion, result, impacts, limits, least_gain)
        self.dust += [DustBurst(parent.body, birth_row, *burst) for burst in new.dust()]
        # A surface would catch loose fragments on the rough crack face of a kinematic fragment.
        has_surface = self._group_of(parent.body) is TOUCHES_EVERYTHING and not parent.kinematic

        def shape_of(label: int) -> CollisionShape:
            return _ball(new.properties[label]) if self._job.is_at_rest else new.shape(label, has_surface=has_surface)

        with ThreadPoolExecutor(SHAPE_THREADS) as pool:
            # The threads build shapes while this loop adds fragments to the world.
            for label, shape in zip(new.kept, pool.map(shape_of, new.kept), strict=True):
                motion_now = new.poses[label], new.velocities[label], new.angular_velocities[label]
                self._add(new.fragment(label, row, birth_row, breakable_from), shape, *motion_now)
        # Kinematic fragments count too: they pass their momentum on to their support.
        return new.taken

    def dent(self, row: int, dent: Dent, birth_row: int, breakable_from: float) -> None:
        """Replace a fragment by a dented one with the same motion.

        Args:
            row: Row of the fragment.
            dent: Its new shape.
            birth_row: First frame of the dented fragment, from the job's first frame.
            breakable_from: s, time from which it may break.
        """
        parent = self.fragments[row]
        breakable, center = self._breakables[parent.body], parent.properties.center
        pose, (velocity, spin) = self.world.pose(parent.key), self.world.velocities(parent.key)
        fragment = dented(breakable, parent, row, dent, birth_row, breakable_from)
        self._end(parent, birth_row)
        shape = whole_shape(joined(fragment.surfaces), fragment.own_solid, breakable.body.island_share)
        new_pose = moved(pose, center, fragment.properties.center)[0]
        self._add(fragment, shape, new_pose, velocity + np.cross(spin, new_pose[:3] - pose[:3]), spin)

    def nearest(self, body: int, point: np.ndarray) -> int:
        """Return the row of the living fragment of a body whose cell is nearest to a point (3,) m of the world."""
        best, nearest = np.inf, -1
        for row, fragment in enumerate(self.fragments):
            if fragment.body == body and fragment.key >= 0:
                rest = rest_point(self.world.pose(fragment.key), fragment.properties.center, point)
                centers = cell_centers(fragment.solid.points, fragment.solid.cells[fragment.cells])
                distance = float(np.linalg.norm(centers - rest, axis=1).min())
                if distance < best:
                    best, nearest = distance, row
        return nearest

    def _end(self, fragment: RigidFragment, row: int) -> None:
        """Remove a fragment from the world; others replace it from the frame ``row`` on."""
        self.world.remove(fragment.key)
        self._properties.pop(fragment.key)
        self._watched_keys.pop(fragment.key, None)
        fragment.key, fragment.death_row, fragment.prepared = -1, row, None

    def let_go(self, fragment: RigidFragment) -> None:
        """Make a living kinematic fragment dynamic, with its last velocity."""
        self._release(fragment.key, fragment.properties)
        if not fragment.is_frozen:
            self.world.regroup(fragment.key, self._group_of(fragment.body))
        fragment.kinematic = fragment.waits = fragment.is_frozen = False

    def freeze(self, fragment: RigidFragment, freeze: int, *, waits: bool) -> None:
        """Stop a living dynamic fragment and make it kinematic.

        Args:
            fragment: The fragment.
            freeze: Row of the job's freeze that holds it.
            waits: Whether an event of its own lets it go.
        """
        fragment.kinematic = fragment.is_frozen = True
        fragment.waits, fragment.freezes = waits, (*fragment.freezes, freeze)
        self._properties[fragment.key] = _immovable(fragment.properties)
        self._most_inverse_mass.pop(fragment.key, None)
        self.world.hold(fragment.key, fragment.properties.mass, reported=waits)
        if waits:
            self._watched_keys[fragment.key] = None

    def _ends(self, track: np.ndarray, frame_row: float) -> bool:
        """Return whether a track is shorter than the run and its end is past."""
        return 1 < len(track) < self._row_count and frame_row > len(track) - 1

    def _release(self, key: int, properties: RigidProperties) -> None:
        """Make a kinematic body dynamic."""
        self._properties[key] = properties
        self._most_inverse_mass.pop(key, None)
        self.world.release(key, properties)

    def _add_body(self, row: int, properties: RigidProperties) -> None:
        breakable = self._breakables[row]
        body, solid, cells = breakable.body, breakable.solid, np.arange(breakable.solid.cell_count)
        # If the object is pinned, only islands with pins are kinematic.
        kinematic = body.track is not None and (body.settings.motion.pinned is None or len(breakable.anchors) > 0)
        pose = np.concatenate([properties.center, [1.0, 0.0, 0.0, 0.0]])
        surface = breakable.surface
        inputs = surface.points, surface.faces, solid, body.island_share
        if self._job.is_at_rest:
            shape = _ball(properties)
        else:
            shape = self._cache.result(
                "balls", CollisionShape, inputs, lambda: whole_shape(surface, solid, body.island_share)
            )
        poses = np.zeros((self._row_count, 7))
        surfaces = [part.surface for part in breakable.objects]
        fragment = RigidFragment(
            body=row,
            parent=-1,
            depth=0,
            solid=solid,
            cells=cells,
            properties=properties,
            surfaces=surfaces,
            owners=range(len(surfaces)),
            poses=poses,
        )
        fragment.kinematic, fragment.anchors = kinematic, breakable.anchors
        fragment.waits = kinematic and body.settings.motion.waits and not len(breakable.anchors)
        self._add(fragment, shape, pose, body.velocity, body.angular_velocity)

    def _group_of(self, body: int, kinematic: bool = False) -> CollisionGroup:
        group = self.groups.get(body, TOUCHES_EVERYTHING)
        return self._track_groups.get(body, group) if kinematic else group

    def _add(
        self,
        fragment: RigidFragment,
        shape: CollisionShape,
        pose: np.ndarray,
        velocity: np.ndarray,
        angular_velocity: np.ndarray,
    ) -> None:
        """Add a fragment to the world, with the pose (7,) and the motion (m/s, rad/s) of its centre of mass."""
        breakable, properties = self._breakables[fragment.body], fragment.properties
        breaks = can_break(breakable, fragment.depth, len(fragment.cells), fragment.is_cracked)
        key = fragment.key = self.world.add_balls(
            properties,
            shape.centers,
            shape.radii,
            pose,
            velocity,
            angular_velocity,
            friction=breakable.body.material.friction,
            restitution=breakable.body.material.restitution,
            kinematic=fragment.kinematic,
            far_sighted=fragment.depth == 0,
            reported=breaks or fragment.waits,
            group=self._group_of(fragment.body, fragment.kinematic),
            surface=shape.surface,
            hull=shape.hull,
        )
        self._properties[key] = _immovable(properties) if fragment.kinematic else properties
        self._row_of_key[key] = len(self.fragments)
        if breaks or fragment.waits:
            self._watched_keys[key] = None
        self.fragments.append(fragment)


def _ball(properties: RigidProperties) -> CollisionShape:
    """Return the shape of a body in a run of one frame: nothing moves, so its size does not matter."""
    return CollisionShape(properties.center[None], np.ones(1))


def _immovable(properties: RigidProperties) -> RigidProperties:
    """Return the same properties with an infinite mass."""
    return RigidProperties(np.inf, properties.center, properties.inertia)
