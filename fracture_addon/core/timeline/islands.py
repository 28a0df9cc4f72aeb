"""Objects of several parts as a body a part: taken apart before a run, and told as one object after it.

A part is what hangs together by its edges, with the hollows in it. Each is repaired, filled, struck and moved alone;
the recording then has them as fragments of the object, which are there from the first frame on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data.errors import InvalidMeshError, SettingsError
from ..data.job import Body, Job, Settings
from ..data.recording import Debris, Recording, Track
from ..data.surface import Surface, area, center_of, volume
from ..geometry import shells
from ..geometry.nearest import nearest
from ..geometry.surface_attributes import EDGE_WEAR, INTERIOR_UV
from ..meshing.repair import cleaning, closing
from ..numerics.rotations import IDENTITY, along, moved
from ..rigid.contacts import rest_point

JOIN, SEPARATE = "join", "separate"
# More bodies than this of one object would be neither filled nor moved in a time that anybody waits.
MOST_ISLANDS = 500
# Fewest cells of a part, and the least pieces that it breaks into where a number is wanted.
FEWEST_CELLS, FEWEST_PIECES = 60, 2
# What the report of an object adds up over its parts.
SUMS = ("cells", "bonds", "fragments", "dust_count", "solve_count", "breaks")


def apart(job: Job) -> tuple[Job, np.ndarray]:
    """The job with a body for each part of those bodies that want that.

    Returns:
        The job, and (B,) the row that each of its bodies comes from. The same job where nothing is taken apart.

    Raises:
        SettingsError: A body that deforms is to be taken apart.
        InvalidMeshError: It has too many parts.
    """
    bodies: list[Body] = []
    owners: list[int] = []
    for row, body in enumerate(job.bodies):
        parts = _parts(body, job.frame_start) if body.settings.islands == SEPARATE else [body]
        bodies += parts
        owners += [row] * len(parts)
    if len(bodies) == len(job.bodies):
        return job, np.array(owners, int)
    # What is glued deforms, and has not been taken apart.
    glues = tuple(replace(glue, first=owners.index(glue.first), second=owners.index(glue.second)) for glue in job.glues)
    return replace(job, bodies=tuple(bodies), glues=glues), np.array(owners, int)


def islands_of(surface: Surface) -> list[Surface]:
    """Parts of a surface, the one with the largest area first; a hollow goes with what is around it."""
    table = shells.edges(surface.faces)
    label = closing.shells_with_linings(surface)
    count = int(label.max(initial=-1)) + 1
    if count < 2:
        return [surface]
    open_shell = np.bincount(label, (table.face_count != 2)[table.of_corner].any(axis=1), count) > 0
    hollow = (shells.shell_volumes(surface, label) < 0.0) & ~open_shell
    inside = shells.containment(surface, label)
    inside[open_shell | hollow] = False
    sizes = np.array([area(_picked(surface, label == number)) for number in range(count)])
    for number in np.flatnonzero(hollow & inside.any(axis=0)):
        around = np.flatnonzero(inside[:, number])
        label[label == number] = around[np.argmin(sizes[around])]
    order = [number for number in np.argsort(-sizes, kind="stable") if (label == number).any()]
    return [cleaning.compact(_picked(surface, label == number)) for number in order]


def _picked(surface: Surface, chosen: np.ndarray) -> Surface:
    return cleaning.picked(surface, surface.faces, np.flatnonzero(chosen))


def _parts(body: Body, frame_start: int) -> list[Body]:
    """The bodies that take the place of one."""
    islands = islands_of(body.surface)
    if len(islands) == 1:
        return [body]
    if body.settings.dynamics != "rigid":
        raise SettingsError(
            f"'{body.name}': parts that deform cannot be bodies of their own; set Islands to Join, or Dynamics to Rigid"
        )
    if len(islands) > MOST_ISLANDS:
        raise InvalidMeshError(
            f"'{body.name}' cannot be taken apart: it has {len(islands):,} parts, and more than {MOST_ISLANDS} cannot "
            "be bodies of their own; set Islands to Join (--islands join), or split the object"
        )
    center = center_of(body.surface)
    share = np.array([abs(volume(island)) or 1e-300 for island in islands])
    share /= share.sum()
    centers = [center_of(island) for island in islands]
    struck = _struck(body, islands, frame_start)
    return [
        replace(
            body,
            surface=_shown(island),
            settings=_settings(body.settings, float(portion)),
            track=None if body.track is None else moved(body.track, center, own),
            velocity=body.velocity + np.cross(body.angular_velocity, own - center),
            impacts=tuple(impact for impact, number in zip(body.impacts, struck, strict=True) if number == row),
            island=True,
        )
        for row, (island, portion, own) in enumerate(zip(islands, share, centers, strict=True))
    ]


def _shown(island: Surface) -> Surface:
    """With all the values that fragments have: it is shown as one."""
    count = len(island.faces)
    made = {INTERIOR_UV: np.zeros((count, 3, 2)), EDGE_WEAR: np.zeros((count, 3, 1))}
    return replace(island, corner_attributes={**made, **island.corner_attributes})


def _settings(settings: Settings, share: float) -> Settings:
    """Those of a part with a share of the volume: it gets that share of the cells and of the pieces."""
    pieces = settings.piece_count and max(FEWEST_PIECES, round(share * settings.piece_count))
    cells = max(FEWEST_CELLS, round(share * settings.cell_count))
    return replace(settings, cell_count=cells, piece_count=pieces)


def _struck(body: Body, islands: Sequence[Surface], frame_start: int) -> list[int]:
    """The part that each authored blow falls on: the nearest to where it meets the object at rest."""
    center, rows = center_of(body.surface), []
    for impact in body.impacts:
        pose = np.concatenate([center, IDENTITY[3:]])
        if body.track is not None:
            pose = along(body.track, impact.frame - frame_start, center)
        point = rest_point(pose, center, impact.point)[None]
        rows.append(int(np.argmin([nearest(island, point)[2][0] for island in islands])))
    return rows


def together(recording: Recording, job: Job, owners: np.ndarray) -> Recording:
    """A recording of parts as one of the objects that they are of.

    Args:
        recording: Of the job that ``apart`` gave.
        job: That was asked for.
        owners: (B,) as ``apart`` gave them.
    """
    if len(owners) == len(job.bodies):
        return recording
    groups = [np.flatnonzero(owners == row) for row in range(len(job.bodies))]
    tracks = tuple(
        _vanished(recording, job.bodies[row]) if len(group) > 1 else recording.bodies[group[0]]
        for row, group in enumerate(groups)
    )
    fragments = tuple(replace(item, body=int(owners[item.body])) for item in recording.fragments)
    debris = [replace(item, body=int(owners[item.body])) for item in recording.debris]
    reports = recording.report["bodies"]
    return replace(
        recording,
        bodies=tracks,
        fragments=fragments,
        report={**recording.report, "bodies": [_report([reports[part] for part in group]) for group in groups]},
        deformed=tuple(replace(item, body=int(owners[item.body])) for item in recording.deformed),
        debris=tuple(_heap([item for item in debris if item.body == row]) for row in sorted({d.body for d in debris})),
    )


def _vanished(recording: Recording, body: Body) -> Track:
    """Of an object whose parts take its place from the first frame on."""
    center = center_of(body.surface)
    still = np.tile(np.concatenate([center, IDENTITY[3:]]), (len(recording.bodies[0].poses), 1))
    return Track(body.name, center, recording.frame_start, still)


def _heap(debris: Sequence[Debris]) -> Debris:
    """The grains of all parts of an object."""
    if len(debris) == 1:
        return debris[0]
    return Debris(
        debris[0].body,
        np.concatenate([item.birth_frames for item in debris]),
        np.concatenate([item.sizes for item in debris]),
        np.concatenate([item.velocities for item in debris]),
        np.concatenate([item.poses for item in debris], axis=1),
    )


def _report(parts: Sequence[Mapping]) -> dict:
    """The report of an object from those of its parts."""
    if len(parts) == 1:
        return dict(parts[0])
    result = {name: sum(part[name] for part in parts) for name in SUMS}
    hit = max(parts, key=lambda part: (part["breaks"] > 0, part["load_factor"]))
    told = [part for part in parts if part["breaks"]] or [hit]
    cells = np.array([part["cells"] for part in parts], float)
    repairs = [part["repair"] for part in parts]
    changed = [repair for repair in repairs if repair["changed"]]
    sentence = f"{len(parts)} parts, each a body of its own" + (
        f"; {len(changed)} of them repaired, as the first: {changed[0]['sentence']}" if changed else ""
    )
    return {
        **parts[0],
        **result,
        "dust_volume": float(cells @ [part["dust_volume"] for part in parts] / cells.sum()),
        "volume_error": max(part["volume_error"] for part in parts),
        "load_factor": hit["load_factor"],
        "repair": {
            **repairs[0],
            "moved": max(repair["moved"] for repair in repairs),
            "changed": True,
            "sentence": sentence,
        },
        "warnings": list(dict.fromkeys(text for part in told for text in part["warnings"])),
    }
