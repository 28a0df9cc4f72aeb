"""Bonded objects form one body of several materials until it breaks.

Each object is filled with cells of its own. Joints connect cells of two objects over the area in which their surfaces
face each other. The method breaks the whole; each object's surface is cut along its own cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.errors import SceneError, SettingsError
from ..data.job import AuthoredImpact, Body, Job
from ..data.placed_fields import PaintedField
from ..data.recording import Recording
from ..data.settings.settings import ModelSettings
from ..data.solid import cell_centers
from ..data.surface import Surface, center_of, joined
from ..fields.painting import weights_at
from ..fields.prior_stress import without_prior_stress
from ..methods import table
from ..numerics.components import components
from ..numerics.rotations import matrices, moved
from .cache import NO_CACHE, Cache
from .joined_solid import join_solids
from .rigid_fragment import Breakable

# Largest difference between the tracks of two bonded objects that move together, over their size. It is above the
# rounding of keyframes.
SAME_TRACK = 1e-4


@dataclass(frozen=True)
class Assembled(ReadOnlyArrays):
    """A job in which every group of bonded bodies is one body.

    Attributes:
        job: The job, without bonds.
        breakables: The bodies of ``job``, each with its cells.
        rows: (B,) rows of the original bodies, in the order of the objects of ``breakables``.
    """

    job: Job
    breakables: Sequence[Breakable]
    rows: np.ndarray


def check(job: Job) -> None:
    """Refuse invalid bonds.

    Raises:
        SceneError: A bond connects a body with itself, or with one that is not in the job.
        SettingsError: A bonded rigid body has cubes, or a bonded body is to be split into its islands.
    """
    count = len(job.bodies)
    for bond in job.bonds:
        known = [row for row in (bond.first, bond.second) if 0 <= row < count]
        if len(known) < 2:
            name = job.bodies[known[0]].name if known else "an object"
            raise SceneError(f"'{name}' is joined to an object that is not in the run; select it too, or press Unjoin")
        if bond.first == bond.second:
            raise SceneError(f"'{job.bodies[bond.first].name}' is joined to itself; press Unjoin")
    for row in sorted({row for bond in job.bonds for row in (bond.first, bond.second)}):
        body = job.bodies[row]
        settings = body.settings
        if row in job.bonded_rows and settings.method == "lattice" and settings.filling.lattice == "cubes":
            raise SettingsError(
                f"'{body.name}' is joined, but its lattice consists of cubes; set Lattice to Irregular, or press Unjoin"
            )
        if settings.repair.separates_islands:
            raise SettingsError(
                f"'{body.name}' is joined, and its islands are to be separate bodies; set Islands to Join, "
                "or separate it into objects and join these"
            )


def assemble_bodies(job: Job, breakables: Sequence[Breakable], cache: Cache = NO_CACHE) -> Assembled:
    """Replace each group of bonded bodies by one body.

    Args:
        job: The scene.
        breakables: Its bodies; bonded ones need no model.
        cache: Keeps models in memory.

    Raises:
        SceneError: Bonded bodies do not touch, or move apart on their tracks.
    """
    if not job.bonds:
        return Assembled(job, breakables, np.arange(len(breakables)))
    group = components(np.array([[bond.first, bond.second] for bond in job.bonds]), len(breakables))
    bodies, rows = [], []
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        rows += members.tolist()
        if len(members) == 1:
            bodies.append(breakables[members[0]])
        else:
            bodies.append(_assembled(job, breakables, members.tolist(), cache))
    joined_job = replace(job, bodies=tuple(item.body for item in bodies), bonds=())
    return Assembled(joined_job, bodies, np.array(rows))


def restored(recording: Recording, rows: np.ndarray) -> Recording:
    """Return a recording with its bodies in the order of the original job.

    Args:
        recording: Its bodies are the objects of ``Assembled.breakables``.
        rows: ``Assembled.rows``.
    """
    if (rows == np.arange(len(rows))).all():
        return recording
    order, reports = np.argsort(rows), recording.report["bodies"]
    return replace(
        recording,
        bodies=tuple(recording.bodies[place] for place in order),
        fragments=tuple(replace(item, body=int(rows[item.body])) for item in recording.fragments),
        report={**recording.report, "bodies": [reports[place] for place in order]},
        debris=tuple(replace(item, body=int(rows[item.body])) for item in recording.debris),
        events=recording.events.with_bodies(rows),
    )


def _assembled(job: Job, breakables: Sequence[Breakable], rows: Sequence[int], cache: Cache) -> Breakable:
    """Return the body that replaces the bodies of some rows."""
    members = tuple(breakables[row] for row in rows)
    place = {row: number for number, row in enumerate(rows)}
    bonds = {number: bond for number, bond in enumerate(job.bonds) if bond.first in place}
    solid = join_solids(
        members, {number: (place[item.first], place[item.second], item) for number, item in bonds.items()}
    )
    masses = np.array([item.body.material.density * item.volume for item in members])
    centers = np.array([center_of(item.surface) for item in members])
    body = _joined_body(members, masses, centers)
    settings = body.settings.part(ModelSettings)
    prepared = cache.in_memory(
        "model", (solid, body.material, settings), lambda: table.prepare(solid, body.material, settings)
    )
    return Breakable(
        body=body,
        surface=body.surface,
        solid=solid,
        prepared=prepared,
        repair=members[0].repair,
        complex=None,
        members=members,
        kinematic_points=_kinematic_points(members),
    )


def _joined_body(members: Sequence[Breakable], masses: np.ndarray, centers: np.ndarray) -> Body:
    """Return the body of bonded objects.

    Its settings, and its material except for the density, are those of the heaviest object. It has the momentum of all
    objects. Its angular velocity is their mean by mass, which is exact for objects that move together.
    """
    main = int(np.argmax(masses))
    leader, volumes = members[main].body, np.array([item.volume for item in members])
    surface = joined([Surface(item.surface.points, item.surface.faces) for item in members])
    center = masses @ centers / masses.sum()
    others = len(members) - 1
    settings = without_prior_stress(leader.settings)
    # Dust is small compared with one object (a brick), not with the whole body (the wall).
    settings = settings.changed(
        dust_volume=settings.pieces.dust_volume * float(volumes[main] / volumes.sum()),
        pinned=None,
        order=_joined_order(members),
        own_weight=any(item.body.settings.motion.own_weight for item in members),
    )
    kinematic = [
        (item.body, place) for item, place in zip(members, centers, strict=True) if item.body.track is not None
    ]
    spin = masses @ np.array([item.body.angular_velocity for item in members]) / masses.sum()
    impacts: tuple[AuthoredImpact, ...] = sum((item.body.impacts for item in members), ())
    return replace(
        leader,
        name=f"{leader.name} and {others} joined object{'s' if others > 1 else ''}",
        surface=surface,
        material=replace(
            leader.material,
            density=float(masses.sum() / volumes.sum()),
            grain_strength_ratio=1.0,
            grain_stiffness_ratio=1.0,
        ),
        settings=settings,
        track=_common_track(kinematic, center, surface.diagonal) if kinematic else None,
        velocity=masses @ np.array([item.body.velocity for item in members]) / masses.sum(),
        angular_velocity=spin,
        impacts=impacts,
    )


def _joined_order(members: Sequence[Breakable]) -> PaintedField | None:
    """Return the painted order of all objects; those without paint have the weight 0."""
    orders = [item.body.settings.motion.order for item in members]
    if all(order is None for order in orders):
        return None
    surface = joined([Surface(item.surface.points, item.surface.faces) for item in members])
    own = [
        np.zeros(len(item.surface.points)) if order is None else weights_at(order, item.surface.points)
        for item, order in zip(members, orders, strict=True)
    ]
    return PaintedField(surface.points, surface.faces, np.concatenate(own))


def _common_track(kinematic: Sequence[tuple[Body, np.ndarray]], center: np.ndarray, size: float) -> np.ndarray:
    """Return the track (T, 7) of the whole body from those of its kinematic objects.

    Args:
        kinematic: Objects with a track, and their centres of mass.
        center: (3,) m, centre of mass of the whole body.
        size: m, size of the whole body.

    Raises:
        SceneError: Two of them move apart.
    """
    tracks = [moved(body.track, place, center) for body, place in kinematic if body.track is not None]
    first = tracks[0]
    for (body, _), track in zip(kinematic, tracks, strict=True):
        if (
            len(track) != len(first)
            or np.abs(track[:, :3] - first[:, :3]).max() > SAME_TRACK * size
            or np.abs(matrices(track[:, 3:]) - matrices(first[:, 3:])).max() > SAME_TRACK
        ):
            raise SceneError(
                f"'{kinematic[0][0].name}' and '{body.name}' are joined, but their keyframes move them apart; "
                "give both the same motion, or press Unjoin"
            )
    return first


def _kinematic_points(members: Sequence[Breakable]) -> np.ndarray:
    """Return the points (K, 3) m that stay kinematic after a break.

    These are the pinned points. If some objects are kinematic and others are not, the centroids of the cells of the
    kinematic objects are added.
    """
    all_kinematic = all(item.body.track is not None for item in members)
    points = [np.empty((0, 3))]
    for item in members:
        if item.body.settings.motion.pinned is not None:
            points.append(item.anchors)
        elif item.body.track is not None and not all_kinematic:
            points.append(cell_centers(item.solid.points, item.solid.cells))
    return np.concatenate(points)
