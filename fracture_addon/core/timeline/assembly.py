"""Assembly of a recording from the fragments of a run: every fragment gets a pose on every frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..data.events import Events
from ..data.job import Job
from ..data.progress import Progress
from ..data.readable import about
from ..data.recording import NEVER, Fragment, Recording, Track
from ..data.surface import Surface, center_of, center_of_volume, volume
from ..meshing.filling import stiff_walls
from ..meshing.repair.repair import SCRAPS
from ..methods import table
from ..numerics.rotations import continuous, moved
from ..rigid.engine import CollisionGroup
from .breaking import Breaker, BreakStatistics
from .dust import DustBurst
from .dust_flight import simulate_dust
from .pins import PINNED_WEIGHT
from .resting import separate
from .rigid_fragment import Breakable, RigidFragment

# Violence that a warning proposes over the violence that just reaches the critical load. It changes only that figure.
# At 1, rounding could leave the body whole.
PROPOSED_MARGIN = 1.5
# Crushed share of the volume above which a report warns. Measured with the lattice of 2,000 to 4,000 cells at up to 8
# times the critical load: see docs/decisions/lattice_crack_tips.md.
MOSTLY = 0.5


@dataclass
class RunResult:
    """Result of a run.

    Attributes:
        fragments: Parents before children.
        breaker: The bodies, and the statistics of their breaks.
        projectiles: Centre of mass (3,) m in rest space and poses (T, 7) of each free collider, by its row in the job.
        dust: Dust that is kept as points.
        strengthened: Factor on all impacts that ``break_anyway`` found; 1 without it.
        events: Impacts, breaks and collisions, with the rows of the run's bodies.
        groups: Collision groups of bodies that pass through other bodies, by row of the body.
    """

    fragments: list[RigidFragment]
    breaker: Breaker
    projectiles: dict[int, tuple[np.ndarray, np.ndarray]]
    dust: list[DustBurst]
    strengthened: float = 1.0
    events: Events = field(default_factory=Events)
    groups: Mapping[int, CollisionGroup] = field(default_factory=dict)


def assemble(job: Job, run: RunResult, progress: Progress) -> Recording:
    """Assemble the recording of a run.

    Args:
        job: The scene.
        run: Result of the run.
        progress: Called with the name of the stage and the share that is done.

    Returns:
        One body for each object of the run's bodies, in their order. Dust and events belong to the first
        object of their body.
    """
    breakables = run.breaker.breakables
    rigid = separate(job, run.fragments, breakables, run.groups, run.projectiles, lambda: progress("Simulating", 0.0))
    poses = _full_poses(rigid)
    first_objects = np.cumsum([0, *(len(item.objects) for item in breakables)]).tolist()
    fragments = _fragments(job, rigid, poses, breakables, first_objects)
    tracks = []
    for row, item in enumerate(rigid):
        for member in breakables[item.body].objects if item.parent < 0 else ():
            # A body of one object keeps its poses exactly.
            center, track = item.properties.center, poses[row]
            if breakables[item.body].members:
                center = center_of(member.surface)
                track = moved(track, item.properties.center, center)
            tracks.append(Track(member.body.name, center, _frame(job, item.death_row), track))
    projectiles = [
        Track(job.colliders[row].name, center, NEVER, continuous(track))
        for row, (center, track) in sorted(run.projectiles.items())
    ]
    reports = []
    for row, (breakable, statistics) in enumerate(zip(breakables, run.breaker.statistics, strict=True)):
        body_report = _body_report(breakable, statistics, 0, [item for item in rigid if item.body == row])
        for number, member in enumerate(breakable.objects):
            place = first_objects[row] + number
            count = sum(fragment.body == place and fragment.death_frame == NEVER for fragment in fragments)
            object_report = body_report | {"fragments": count}
            if breakable.members:
                object_report |= _member_report(member, first=number == 0)
            if statistics.loads:
                object_report |= {"loads": statistics.loads}
            reports.append(object_report | ({"strengthened": run.strengthened} if run.strengthened != 1.0 else {}))
    report = {"bodies": reports, "warnings": []}
    progress("Simulating", 1.0)  # dust
    debris = [replace(item, body=first_objects[item.body]) for item in simulate_dust(job, run.dust, run.projectiles)]
    return Recording(
        job.frame_start,
        tuple(tracks),
        tuple(projectiles),
        tuple(fragments),
        report,
        debris=tuple(debris),
        events=run.events.with_bodies(first_objects),
    )


def _full_poses(rigid: Sequence[RigidFragment]) -> list[np.ndarray]:
    """Return poses (T, 7) of each fragment. It moves with its parent before its birth, and rests after its death."""
    result: list[np.ndarray] = []
    for item in rigid:
        poses = item.poses.copy()
        if item.parent >= 0:
            born, parent = item.birth_row, rigid[item.parent]
            poses[:born] = moved(result[item.parent][:born], parent.properties.center, item.properties.center)
        if item.death_row >= 0:
            poses[item.death_row :] = poses[max(item.death_row - 1, 0)]
            if item.death_row == 0:
                poses[:] = np.concatenate([item.properties.center, [1.0, 0.0, 0.0, 0.0]])
        result.append(continuous(poses))
    return result


def _fragments(
    job: Job,
    rigid: Sequence[RigidFragment],
    poses: Sequence[np.ndarray],
    breakables: Sequence[Breakable],
    first_objects: Sequence[int],
) -> list[Fragment]:
    fragments: list[Fragment] = []
    # Row of the first fragment of each object of a rigid fragment; a missing one has no recorded ancestor.
    first_row: dict[tuple[int, int], int] = {}
    for row, item in enumerate(rigid):
        whole = item.parent < 0 and job.bodies[item.body].island_share is None
        if whole or 0 <= item.death_row <= item.birth_row:
            # Whole bodies are tracks, and a fragment without a frame is not recorded: its children get its parent.
            for owner in set(item.owners):
                first_row[row, owner] = first_row.get((item.parent, owner), -1)
            continue
        volumes = [volume(surface) for surface in item.surfaces]
        # Densities are relative to that of the first object, so that a body of one object keeps its masses exactly.
        objects = breakables[item.body].objects
        density = [part.body.material.density / objects[0].body.material.density for part in objects]
        masses = [density[owner] * size for owner, size in zip(item.owners, volumes, strict=True)]
        for surface, owner, mass in zip(item.surfaces, item.owners, masses, strict=True):
            first_row.setdefault((row, owner), len(fragments))
            center = center_of_volume(surface)
            fragments.append(
                Fragment(
                    body=first_objects[item.body] + owner,
                    parent=first_row.get((item.parent, owner), -1),
                    surface=_centered(surface, center),
                    interior=np.asarray(surface.face_source < 0),
                    center=center,
                    mass=item.properties.mass * mass / sum(masses),
                    birth_frame=_frame(job, item.birth_row),
                    death_frame=_frame(job, item.death_row),
                    poses=moved(poses[row], item.properties.center, center),
                )
            )
    return fragments


def _centered(surface: Surface, center: np.ndarray) -> Surface:
    return Surface(
        surface.points - center,
        surface.faces,
        surface.face_source,
        surface.face_attributes,
        surface.corner_attributes,
    )


def _frame(job: Job, row: int) -> int:
    return NEVER if row < 0 else job.frame_start + row


def _body_report(
    breakable: Breakable, statistics: BreakStatistics, fragment_count: int, rigid: Sequence[RigidFragment]
) -> dict[str, object]:
    locks = table.capabilities(breakable.body.settings).locks_in_bending
    whole = volume(breakable.surface)
    if breakable.body.settings.pieces.dust_rule.merges:
        dust_volume = statistics.dust_volume
    else:
        # The cut moves crack faces, so what it leaves out differs in volume from the cells of dust.
        dust_volume = sum(item.dust_volume for item in rigid) / whole
    return {
        "name": breakable.body.name,
        "volume": float(whole),
        "cells": breakable.solid.cell_count,
        "bonds": breakable.solid.face_count,
        "fragments": fragment_count,
        "dust_count": statistics.dust_count + sum(item.dust_count for item in rigid),
        "dust_volume": float(dust_volume),
        "volume_error": float(sum(item.lost_volume for item in rigid) / whole),
        "load_factor": float(statistics.load_factor if statistics.break_count else statistics.greatest_load),
        "solve_count": statistics.solve_count,
        "breaks": statistics.break_count,
        **({"dent": statistics.dent} if statistics.dent else {}),
        "repair": dict(breakable.repair),
        "warnings": [
            *(stiff_walls.warnings(breakable.body, breakable.surface) if locks else ()),
            *_repair_warnings(breakable),
            *_pin_warnings(breakable),
            *statistics.warnings,
            *_unbroken_warnings(breakable, statistics),
            *_flow_warnings(breakable, statistics),
            *_crushed_warnings(breakable, statistics),
        ],
    }


def _member_report(member: Breakable, *, first: bool) -> dict[str, object]:
    """Return the entries in which the report of an object differs from that of its bonded body."""
    report: dict[str, object] = {
        "name": member.body.name,
        "volume": float(volume(member.surface)),
        "cells": member.solid.cell_count,
        "bonds": member.solid.face_count,
        "repair": dict(member.repair),
    }
    # Counts and warnings of the whole body appear once.
    return report if first else {**report, "dust_count": 0, "solve_count": 0, "warnings": []}


def _repair_warnings(breakable: Breakable) -> list[str]:
    """Warn of a mesh whose faces bound no solid."""
    if breakable.repair.get("openings") != SCRAPS:
        return []
    return [
        "its faces bound no solid, so each open part breaks as a thin shell of its own; for a solid, merge the points "
        "that belong together (Mesh > Merge > By Distance)"
    ]


def _pin_warnings(breakable: Breakable) -> list[str]:
    """Warn of objects whose pinned area is empty."""
    pins = [(item.body.name, item.body.settings.motion.pinned) for item in breakable.objects]
    return [
        f"'{name}' is pinned nowhere: no weight in its Pinned group is above {PINNED_WEIGHT}; paint the part that "
        "should stay, or remove the group"
        for name, pinned in pins
        if pinned is not None and not (pinned.weights > PINNED_WEIGHT).any()
    ]


def _unbroken_warnings(breakable: Breakable, statistics: BreakStatistics) -> list[str]:
    """Return a warning with the reason why a body did not break, and the remedy; no warning if it broke."""
    name, violence, load = breakable.body.name, breakable.body.violence(0), statistics.greatest_load
    if statistics.break_count or statistics.dent or (statistics.weight and not load):
        return []
    if load >= 1.0:
        return [
            f"'{name}' cracked and stayed in one piece: the strongest impact was {load:.3g} times the critical load, "
            "but only dust came off; raise the violence or the detail"
        ]
    if statistics.held and not load:
        return [statistics.held]
    if not violence:
        return [f"'{name}' did not break: its violence is 0, so that no impact loads it; raise the violence"]
    if load > 0.0:
        return [
            f"'{name}' did not break: the strongest impact reached {load:.0%} of the critical load; "
            f"raise the violence to about {about(PROPOSED_MARGIN * violence / load)}"
        ]
    return [
        f"'{name}' did not break: no impact was strong enough; drop it from higher, aim a projectile at it, or run for "
        "more frames"
    ]


def _crushed_warnings(breakable: Breakable, statistics: BreakStatistics) -> list[str]:
    """Warn of a body that is mostly crushed, and name the remedy: only the lattice crushes bodies."""
    if statistics.crushed < MOSTLY:
        return []
    return [
        f"'{breakable.body.name}' is crushed: {statistics.crushed:.0%} of it broke into pieces smaller than a cell; "
        "lower the violence, or choose the method Network for larger pieces"
    ]


def _flow_warnings(breakable: Breakable, statistics: BreakStatistics) -> list[str]:
    """Return how deep the dent of a ductile body is; a warning if its method does not compute it."""
    material, settings = breakable.body.material, breakable.body.settings
    if statistics.dent:
        return [f"'{breakable.body.name}' is dented by {1e3 * statistics.dent:.2g} mm"]
    able = table.capabilities(settings)
    if not material.is_ductile or able.plastic or able.dents:
        return []
    over = statistics.greatest_load * material.elastic_strength / material.yield_strength
    if over <= 1.0:
        return []
    others = table.labels_with(lambda other: other.dents)
    return [
        f"'{breakable.body.name}' would be dented: the strongest impact was {over:.3g} times the load at which "
        f"{material.name} yields, but the method {table.row(settings).label} does not bend bodies; "
        f"for a dent, choose the method {others}"
    ]
