"""The interface of deformable bodies: a method moves and breaks them for the whole shot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.grip import Grip
from ..data.impact import Impact
from ..data.job import Body, Bond, Collider, Job
from ..data.motion import Motion
from ..data.progress import ShareProgress
from ..data.solid import SolidModel
from ..data.surface import Surface
from ..fields.painting import weights_at
from ..numerics.rotations import matrices, pose_on_track

# Largest stretch in a deformable body, length over rest length. Soft rubber breaks at 8 to 10. Beyond this limit a run
# counts as diverged and ends with an error.
MOST_STRETCH = 20.0
# Smallest factor of a body's stiffness. A body without stiffness would not hold together. Bricks of rubber whose
# stiffness falls to zero move 65, 63 and 60 mm at 5e-5, 1e-4 and 2e-4.
SOFTEST = 1e-4


@dataclass(frozen=True)
class RigidJoint(ReadOnlyArrays):
    """A joint of a deformable body with a rigid one.

    Attributes:
        row: Row of the deformable body.
        collider: The rigid body among the colliders.
        surface: Surface of the rigid object, rest space.
        bond: Its material, distance and thickness.
    """

    row: int
    collider: int
    surface: Surface
    bond: Bond


class Colliders(Protocol):
    """The rigid surroundings of deformable bodies. When a rigid body breaks, its fragments are added.

    Attributes:
        colliders: K colliders.
        centers: (3,) m, rest space, reference point of each collider; its pose is the pose of this point.
        any_free: Whether a collider is dynamic: forces move it.
        any_moves: Whether a collider is kinematic: its keyframes move it.
        joints: Joints of deformable bodies with some of the colliders.
    """

    colliders: list[Collider]
    centers: list[np.ndarray]
    any_free: bool
    any_moves: bool
    joints: Sequence[RigidJoint]

    def motions(self, row: float, seconds: float) -> list[Motion | None]:
        """Return the mean motion of each collider over ``seconds`` from the time ``row``, in frames."""

    def advance(self, row: float, seconds: float, impulses: np.ndarray) -> None:
        """Apply impulses (K, COLUMNS) on the colliders (``pushes``), and advance by ``seconds`` to the time ``row``."""


@dataclass(frozen=True)
class ImpactTarget(ReadOnlyArrays):
    """A deformable body at the time of an impact.

    Attributes:
        rest: (N, 3) m, its nodes in rest space.
        current: (N, 3) m, its nodes now.
        weights: (N,) kg, weights of the nodes for the body's rotation.
        mass: kg.
        spacing: m, size of the cells.
    """

    rest: np.ndarray
    current: np.ndarray
    weights: np.ndarray
    mass: float
    spacing: float


@dataclass(frozen=True)
class Checkpoint(ReadOnlyArrays):
    """State and recorded frames of a run up to a frame.

    Attributes:
        frame: Last frame, counted from the job's first frame.
        state: The method's state.
        histories: Recorded frames of each body.
        pushes: Pushes on the rigid bodies until then; they repeat the rigid run.
    """

    frame: int
    state: Mapping[str, np.ndarray]
    histories: tuple[Mapping[str, np.ndarray], ...]
    pushes: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Debris(ReadOnlyArrays):
    """Particles that come off a deformable body. Before a particle comes off, all its points are at one place.

    Attributes:
        shapes: Closed surfaces of the particles, each about the origin.
        centers: (P, 3) m, rest space, centre of the particle that each point belongs to.
        paths: (T, P, 3) m, float32, points on all frames.
    """

    shapes: Surface
    centers: np.ndarray
    paths: np.ndarray


@dataclass(frozen=True)
class Deformation(ReadOnlyArrays):
    """Fragments of a deformable body, and the motion of the points that carry its surface.

    Attributes:
        solid: The body in rest space; its cells have fragment labels.
        fragment_of_cell: (C,) int, label of each cell; -1 for a crushed cell.
        owners: (C,) cell of the body's own model that contains each cell.
        rest: (M, 3) m, carrying points in rest space.
        corners: (C, 4) carrying points of each cell.
        paths: (T, M, 3) m, float32, carrying points on all frames.
        broken: (C,) first frame on which a cell no longer carries its own surface. From this frame on, the nearest
            intact cells of its fragment carry it.
        intact: (C,) bool, cells that carry the surface of others, and their own on all frames. Those of one fragment
            are connected.
        bond_count: Bonds of the body's model.
        debris: Particles, or ``None``.
    """

    solid: SolidModel
    fragment_of_cell: np.ndarray
    owners: np.ndarray
    rest: np.ndarray
    corners: np.ndarray
    paths: np.ndarray
    broken: np.ndarray
    intact: np.ndarray
    bond_count: int
    debris: Debris | None = None


class WholeShot(ABC):
    """The deformable bodies of a scene.

    Attributes:
        warnings: Warnings about the run so far, for the artist.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []

    @abstractmethod
    def record(self, frame: int) -> None:
        """Record the bodies on a frame, counted from the first."""

    @abstractmethod
    def advance(self, frame: int, progress: ShareProgress) -> None:
        """Advance the bodies and their colliders from a frame to the next.

        Args:
            frame: Number of the frame, counted from the job's first frame.
            progress: Called with the share of the frame that is done, 0 to 1.
        """

    @abstractmethod
    def target(self, row: int) -> ImpactTarget:
        """Return a body as the target of an impact."""

    @abstractmethod
    def critical(self, row: int, impact: Impact) -> tuple[float, float]:
        """Return the peak force, N, at which an impact first breaks a body, and the duration of its pulse, s.

        Args:
            row: Row of the body.
            impact: In rest space.
        """

    @abstractmethod
    def strike(self, row: int, impact: Impact, rest_point: np.ndarray) -> None:
        """Start an impact on a body.

        Args:
            row: Row of the body.
            impact: In present world coordinates; its duration is that of the pulse.
            rest_point: (3,) m, its point in rest space.
        """

    @abstractmethod
    def deformation(self, row: int) -> Deformation:
        """Return the fragments of a body and its motion, after the last frame."""

    @property
    @abstractmethod
    def structure(self) -> object:
        """Value that is equal for two runs if one can continue from the other's checkpoints."""

    @abstractmethod
    def checkpoint(self, frame: int) -> Checkpoint | None:
        """Return the run up to a frame; ``None`` if it cannot continue from there."""

    @abstractmethod
    def resume(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint."""


def gravity_on(job: Job, frame: int) -> np.ndarray:
    """Return gravity (3,) m/s2 on a frame."""
    return job.gravity_track[frame] if len(job.gravity_track) else np.asarray(job.gravity)


def stiffness_on(body: Body, frame: int) -> float:
    """Return the factor of a body's stiffness on a frame, counted from the first; at least ``SOFTEST``."""
    return max(float(body.stiffness_track[frame]), SOFTEST) if len(body.stiffness_track) else 1.0


def fixed_points(body: Body, grips: Sequence[Grip], rest: np.ndarray) -> np.ndarray:
    """Return (N,) bool, the points of a body that are pinned, keyed or in the hold of a grip.

    Args:
        body: Its pins and its track. Without pins, all points of a keyed body are fixed.
        grips: The grips of the job.
        rest: (N, 3) m, points on the first frame.

    Example:
        >>> from types import SimpleNamespace as Of
        >>> body, track = Of(track=None, settings=Of(motion=Of(pinned=None))), [[0.0, 0, 0, 1, 0, 0, 0]]
        >>> fixed_points(body, [Grip("hand", 1.0, track, 1.0)], np.array([[0.5, 0, 0], [3, 0, 0]])).tolist()
        [True, False]
    """
    pinned = body.settings.motion.pinned
    fixed = np.full(len(rest), body.track is not None) if pinned is None else weights_at(pinned, rest) > 0.5
    for grip in grips:
        fixed |= grip.holds(rest)
    return fixed


def is_moved(body: Body, grips: Sequence[Grip]) -> bool:
    """Return whether keyframes or grips may move a body."""
    return bool(grips) or (body.track is not None and len(body.track) > 1)


def moved_points(body: Body, grips: Sequence[Grip], row: float, rest: np.ndarray) -> np.ndarray | None:
    """Return points that move with a body's track, or with the grip that holds them; ``None`` if nothing moves.

    Args:
        body: Its track.
        grips: The grips of the job.
        row: Time in frames from the first one; a fraction lies between two frames.
        rest: (F, 3) m, points on the first frame.

    Returns:
        (F, 3) m.

    Example:
        A body moves by 2 m along X in one frame. Halfway, a point of it has moved by 1 m.

        >>> from types import SimpleNamespace
        >>> track = np.array([[0.0, 0, 0, 1, 0, 0, 0], [2.0, 0, 0, 1, 0, 0, 0]])
        >>> moved_points(SimpleNamespace(track=track), (), 0.5, np.array([[5.0, 1.0, 0.0]])).round(9).tolist()
        [[6.0, 1.0, 0.0]]
    """
    if not is_moved(body, grips):
        return None
    positions = rest.copy() if body.track is None else _on_track(body.track, row, rest)
    for grip in grips:
        held = grip.holds(rest)
        positions[held] = _on_track(grip.track, row, rest[held])
    return positions


def _on_track(track: np.ndarray, row: float, rest: np.ndarray) -> np.ndarray:
    center = track[0, :3]
    pose = pose_on_track(track, row, center)
    return pose[:3] + (rest - center) @ matrices(pose[3:]).T
