"""Grips pull, twist and bend the rigid bodies that they hold, until these break (docs/decisions/grips.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.errors import SceneError
from ..data.grip import Grip
from ..data.impact import STEADY, Impact, PressedFaces
from ..data.job import Job
from ..data.readable import with_unit
from ..data.solid import outer_faces
from ..numerics.rotations import length, matrices
from .breaking import Breaker
from .face_loads import FaceLoad
from .holds import Hold, hold
from .rigid_fragment import Breakable, RigidFragment, can_break
from .rigid_scene import RigidScene

# Fewest outer faces of cells in a grip: fewer do not determine how it turns a body.
FEWEST_FACES = 3
# Stiffness of the pins of a body over that of all its grips: a pinned part does not give way.
PIN_STIFFNESS = 1000.0
# Load with which a body is broken, over its critical load. A load that grows slowly breaks a body when it reaches the
# critical one, but on the frame after that it may be far above it. If the body holds, its square applies on the next
# frame, and so on, up to the load of the grips: the solver of the break and that of the critical load differ a little.
# From 1.001 to 2, bars that are pulled, bent and twisted break into the same number of pieces, 2 to 4, and one into 5
# instead of 4 (five seeds each).
OVERLOAD = 1.02
# Change of the distribution of a load, over the load, above which the critical load is computed again. A bar that is
# bent for seven frames needs 12, 8 and 7 solves at 0.002, 0.02 and 0.2, and breaks under loads within 1 %.
CHANGED = 0.02


@dataclass(frozen=True)
class GrippedBody(ReadOnlyArrays):
    """A body in the hold of grips.

    Attributes:
        grips: The grips.
        tracks: Poses (T, 7) of each grip; the last one of the pins, if the body has any.
        stiffness: (G,) N/m, stiffness of each grip per held face.
    """

    grips: tuple[Grip, ...]
    tracks: tuple[np.ndarray, ...]
    stiffness: np.ndarray

    def owners(self, points: np.ndarray) -> np.ndarray:
        """Return the row of the track that holds each point (K, 3) m of rest space."""
        shares = np.stack([lengths(points - grip.center) / grip.radius for grip in self.grips])
        return np.where(shares.min(axis=0) <= 1.0, shares.argmin(axis=0), len(self.grips))

    def hold(self, fragment: RigidFragment, pose: np.ndarray, rows: range) -> Hold:
        """Compute how a fragment follows the grips from a pose (7,) on, on frames counted from the first one."""
        owners = self.owners(fragment.anchors)
        springs = self.stiffness[owners]
        return hold(fragment.anchors, owners, springs, self.tracks, rows, pose, fragment.properties.center)


@dataclass
class _Load:
    """The load of a fragment by its grips.

    Attributes:
        hold: Its motion and the forces on it.
        first_row: Frame from which it is held, from the job's first frame.
        shape: (K, 3) distribution of the load whose critical load is known; empty for none.
        critical: N, that critical load.
        overload: Load over the critical load with which it is broken next, unless that of the grips is smaller.
    """

    hold: Hold
    first_row: int
    shape: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    critical: float = 0.0
    overload: float = OVERLOAD

    def pulls(self, row: int) -> np.ndarray:
        """Return the forces (K, 3) N on a frame, orientation of the world; empty when all grips have let go."""
        row -= self.first_row
        return self.hold.pulls[row] if row < len(self.hold.pulls) else np.empty((0, 3))


def check(job: Job, breakables: Sequence[Breakable]) -> None:
    """Refuse a grip that holds nothing on the first frame.

    Raises:
        SceneError: Fewer than ``FEWEST_FACES`` faces of a rigid body and no node of a deformable one are in its sphere.
    """
    rigid = [_face_centers(item) for item in breakables if not item.body.settings.motion.deforms]
    nodes = [item.solid.points for item in breakables if item.body.settings.motion.deforms]
    for grip in job.grips:
        holds_rigid = any(grip.holds(points).sum() >= FEWEST_FACES for points in rigid)
        if not holds_rigid and not any(grip.holds(points).any() for points in nodes):
            raise SceneError(
                f"the grip '{grip.name}' holds no object that breaks: on the first frame, no surface is within "
                f"{grip.radius:.3g} m of its middle; move it, scale it up, or hide it in the viewport"
            )


def with_grips(job: Job, breakables: Sequence[Breakable]) -> tuple[Job, Sequence[Breakable], dict[int, GrippedBody]]:
    """Let the rigid bodies in the hold of grips follow these.

    Args:
        job: The job.
        breakables: Its bodies, all rigid.

    Returns:
        The job and its bodies, with tracks and held points, and the gripped bodies by row.
    """
    bodies, items, held = list(job.bodies), list(breakables), dict[int, GrippedBody]()
    rows = range(job.frame_end - job.frame_start + 1)
    for row, item in enumerate(breakables if job.grips else ()):
        centers = _face_centers(item)
        inside = {grip.name: grip.holds(centers) for grip in job.grips}
        grips = [grip for grip in job.grips if inside[grip.name].sum() >= FEWEST_FACES]
        if not grips:
            continue
        gripped, points = _gripped(item, grips, centers[np.any([inside[grip.name] for grip in grips], axis=0)])
        center = item.solid.points[item.solid.cells].mean(axis=(0, 1))
        start = np.concatenate([center, [1.0, 0.0, 0.0, 0.0]])
        owners = gripped.owners(points)
        track = hold(points, owners, gripped.stiffness[owners], gripped.tracks, rows, start, center).poses
        # The grips decide what is held.
        bodies[row] = replace(item.body, track=track, settings=item.body.settings.changed(activation="break"))
        items[row] = replace(item, body=bodies[row], kinematic_points=points)
        held[row] = gripped
    return replace(job, bodies=tuple(bodies)), items, held


def _face_centers(item: Breakable) -> np.ndarray:
    """Return the centres (F, 3) m of the outer faces of a body's cells, rest space."""
    return item.solid.points[outer_faces(item.solid.cells)[0]].mean(axis=1)


def _gripped(item: Breakable, grips: Sequence[Grip], points: np.ndarray) -> tuple[GrippedBody, np.ndarray]:
    """Return a body in the hold of grips, and its held points: those (K, 3) m of the grips, and its pins."""
    body = GrippedBody(tuple(grips), (), np.ones(0))
    counts = np.bincount(body.owners(points), minlength=len(grips))
    stiffness = np.array([grip.stiffness for grip in grips]) / np.maximum(counts, 1)
    tracks = tuple(grip.track for grip in grips)
    pins = item.anchors if item.body.settings.motion.pinned is not None else np.empty((0, 3))
    pins = pins[body.owners(pins) == len(grips)]
    if len(pins):
        own = item.body.track if item.body.track is not None else np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        pinned = PIN_STIFFNESS * sum(grip.stiffness for grip in grips) / len(pins)
        tracks, stiffness, points = (*tracks, own), np.append(stiffness, pinned), np.concatenate([points, pins])
    return GrippedBody(tuple(grips), tracks, stiffness), points


class Grips:
    """The fragments of a job in the hold of grips.

    Args:
        job: The job.
        bodies: Its gripped bodies, by row.
        breaker: Computes the critical loads.

    Notes:
        Own model (docs/decisions/grips.md).

    Example:
        >>> from ..data.job import Job
        >>> list(Grips(Job(()), {}, Breaker([])).on_frame(0, None))
        []
    """

    def __init__(self, job: Job, bodies: dict[int, GrippedBody], breaker: Breaker):
        self._bodies, self._breaker, self._first_frame = bodies, breaker, job.frame_start
        self._row_count = job.frame_end - job.frame_start + 1
        self._loads: dict[int, _Load] = {}
        # Factor of the forces by body, so that the largest load is the wanted one.
        self._scales: dict[int, float] = {}
        # Largest load factor of each whole body so far.
        self._greatest: dict[int, float] = {}

    def on_frame(self, row: int, scene: RigidScene) -> Iterator[tuple[int, FaceLoad]]:
        """Yield each fragment that its grips break, and their load on it.

        Args:
            row: The frame, counted from the first one.
            scene: State on the frame. The caller breaks the fragment.
        """
        if not self._bodies:
            return
        self._follow(row, scene)
        for number in sorted(self._loads):
            fragment, load = scene.fragments[number], self._loads[number]
            pulls = self._scale(fragment, load) * load.pulls(row)
            factor = self._load_factor(fragment, load, pulls, scene)
            if factor < 1.0:
                self._note(fragment, factor)
                continue
            pulls *= min(1.0, load.overload / factor)
            load.overload *= load.overload
            yield number, self._face_load(fragment, pulls, scene)
            if fragment.key < 0:
                self._breaker.statistics[fragment.body].loads.append(
                    f"Grips break it on frame {self._first_frame + row}: {self._strengths(fragment, pulls)}"
                )
        self._follow(row, scene)

    def _follow(self, row: int, scene: RigidScene) -> None:
        """Let each new fragment that a grip holds follow its own grips."""
        self._loads = {number: load for number, load in self._loads.items() if scene.fragments[number].key >= 0}
        for number, fragment in enumerate(scene.fragments):
            is_held = fragment.key >= 0 and fragment.kinematic and not fragment.is_frozen
            if not is_held or fragment.body not in self._bodies or number in self._loads:
                continue
            pose, center = scene.world.pose(fragment.key), fragment.properties.center
            held = self._bodies[fragment.body].hold(fragment, pose, range(row, self._row_count))
            # A track begins in rest space; the other poses before the birth are of no effect.
            before = np.tile(np.concatenate([center, [1.0, 0.0, 0.0, 0.0]]), (row, 1))
            fragment.track = np.concatenate([before, held.poses])
            self._loads[number] = _Load(held, row)

    def _scale(self, fragment: RigidFragment, load: _Load) -> float:
        """Return the factor of the forces on a body, from the wanted largest load; 1 for forces in real units."""
        body = fragment.body
        if body not in self._scales:
            wanted = max(grip.load_factor for grip in self._bodies[body].grips)
            self._scales[body] = self._wanted_scale(fragment, load, wanted) if wanted else 1.0
        return self._scales[body]

    def _wanted_scale(self, fragment: RigidFragment, load: _Load, wanted: float) -> float:
        sizes = lengths(load.hold.pulls).sum(axis=1)
        largest = int(sizes.argmax())
        if not sizes[largest] > 0.0:
            return 1.0
        turned = load.hold.pulls[largest] @ matrices(load.hold.poses[largest, 3:])
        critical = self._breaker.computed_critical_force(fragment, self._impacts(fragment, turned))
        scale = wanted * critical / sizes[largest]
        total = scale * sum(grip.stiffness for grip in self._bodies[fragment.body].grips)
        self._breaker.statistics[fragment.body].loads.append(
            f"Stiffness of its grips: {with_unit(total, 'N/m')} together"
        )
        return float(scale)

    def _load_factor(self, fragment: RigidFragment, load: _Load, pulls: np.ndarray, scene: RigidScene) -> float:
        """Return the load over the critical load; 0 for a fragment that may not break."""
        size = lengths(pulls).sum()
        breakable = self._breaker.breakables[fragment.body]
        if not size > 0.0 or not can_break(breakable, fragment.depth, len(fragment.cells), fragment.is_cracked):
            return 0.0
        turned = pulls @ matrices(scene.world.pose(fragment.key)[3:])
        shape = turned / size
        if not len(load.shape) or lengths(shape - load.shape).sum() > CHANGED:
            impacts = self._impacts(fragment, turned)
            load.shape, load.critical = shape, self._breaker.computed_critical_force(fragment, impacts)
        return float(size / load.critical) if load.critical > 0.0 else np.inf

    def _note(self, fragment: RigidFragment, load_factor: float) -> None:
        """Store why the grips of a whole body do not break it: their largest load so far is too small."""
        if fragment.depth:
            return
        body = fragment.body
        greatest = self._greatest[body] = max(load_factor, self._greatest.get(body, 0.0))
        is_relative = any(grip.load_factor for grip in self._bodies[body].grips)
        name = self._breaker.breakables[body].body.name
        self._breaker.statistics[body].held = _warning(name, greatest, is_relative)

    def _strengths(self, fragment: RigidFragment, pulls: np.ndarray) -> str:
        """Describe the force and the moment of each grip on a fragment."""
        body, texts = self._bodies[fragment.body], []
        owners = body.owners(fragment.anchors)
        for row, grip in enumerate(body.grips):
            points, forces = fragment.anchors[owners == row], pulls[owners == row]
            if len(points):
                moment = np.cross(points - points.mean(axis=0), forces).sum(axis=0)
                force = with_unit(length(forces.sum(axis=0)), "N")
                texts.append(f"'{grip.name}' with {force} and {with_unit(length(moment), 'N m')}")
        return ", ".join(texts)

    def _face_load(self, fragment: RigidFragment, pulls: np.ndarray, scene: RigidScene) -> FaceLoad:
        turned = pulls @ matrices(scene.world.pose(fragment.key)[3:])
        impacts = self._impacts(fragment, turned)
        return FaceLoad(impacts, fragment.anchors, np.zeros_like(fragment.anchors))

    def _impacts(self, fragment: RigidFragment, pulls: np.ndarray) -> tuple[Impact, ...]:
        """Return the forces (K, 3) N of the grips, rest orientation, as simultaneous steady impacts: one for each."""
        body = self._bodies[fragment.body]
        owners, impacts = body.owners(fragment.anchors), []
        violence = self._breaker.breakables[fragment.body].body.violence(fragment.depth)
        for grip in np.unique(owners):
            points, forces = fragment.anchors[owners == grip], pulls[owners == grip]
            size = float(lengths(forces).sum())
            if not size > 0.0:
                continue
            own = PressedFaces(points, forces / size, bends=True)
            largest = forces[int(lengths(forces).argmax())]
            middle, radius = points.mean(axis=0), float(lengths(points - points.mean(axis=0)).max())
            impacts.append(
                Impact(middle, largest, 0.5 * size * STEADY, STEADY, radius, load_factor=violence, faces=own)
            )
        return tuple(impacts)


def _warning(name: str, load: float, is_relative: bool) -> str:
    """Say why grips did not break a body, and name the remedy.

    Args:
        name: Name of the body.
        load: Largest load over the critical load.
        is_relative: Whether the grips are set relative to the critical load.
    """
    if not load:
        return (
            f"'{name}' did not break: its grips do not move relative to each other; use at least two, and key their "
            "motion"
        )
    if is_relative:
        return (
            f"'{name}' did not break: its grips reached {load:.0%} of the critical load; raise their Load Factor above "
            "1"
        )
    return (
        f"'{name}' did not break: its grips reached {load:.0%} of the critical load; move them farther, or raise their "
        "Stiffness"
    )
