"""Objects with several islands: each island becomes a body of its own, and the recording shows one object again.

An island is an edge-connected part of a surface, with the cavities inside it. Each island is repaired, filled, loaded
and moved alone. In the recording, the islands are fragments of the object from the first frame on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.errors import InvalidMeshError, SettingsError
from ..data.job import Body, Job
from ..data.recording import Debris, Recording, Track
from ..data.settings.settings import Settings
from ..data.surface import Surface, area, center_of, volume
from ..geometry import shells
from ..geometry.nearest import nearest
from ..geometry.surface_attributes import with_fragment_attributes
from ..meshing.repair import cleaning, closing
from ..numerics.rotations import IDENTITY, pose_on_track
from ..rigid.contacts import rest_point

# Most bodies of one object, a limit of time: each is repaired, filled and moved alone, with at least ``FEWEST_CELLS``
# cells. 500 cubes take 28 s (measured, two cores, 6 frames).
MOST_ISLANDS = 500
# Fewest cells of an island, so that a small one can break too. Four islands of 150 cells together break into 22, 26
# and 35 fragments at 30, 60 and 120.
FEWEST_CELLS = 60
# Fewest fragments of an island if a number of fragments is wanted: a break gives at least 2. With 1 all recordings keep
# their bytes. With 4 the islands of one scene break into 8 fragments instead of 6.
FEWEST_PIECES = 2
# m3, smallest volume of an island treated as nonzero in a division; no physical meaning.
TINY_VOLUME = 1e-300
# Entries of an object's report that are sums over its islands.
SUMS = ("volume", "cells", "bonds", "fragments", "dust_count", "solve_count", "breaks")


def split(job: Job) -> tuple[Job, np.ndarray]:
    """Replace each body whose settings ask for it by a body for each of its islands.

    Returns:
        The job, unchanged if no body is split; and (B,) rows of the original bodies that its bodies come from.

    Raises:
        SettingsError: The body is deformable.
        InvalidMeshError: The body has too many islands.
    """
    bodies: list[Body] = []
    owners: list[int] = []
    for row, body in enumerate(job.bodies):
        parts = _split_body(body, job.frame_start) if body.settings.repair.separates_islands else [body]
        bodies += parts
        owners += [row] * len(parts)
    if len(bodies) == len(job.bodies):
        return job, np.array(owners, int)
    # Deformable and bonded bodies are not split: each has exactly one row.
    glues = tuple(replace(glue, first=owners.index(glue.first), second=owners.index(glue.second)) for glue in job.glues)
    bonds = tuple(replace(bond, first=owners.index(bond.first), second=owners.index(bond.second)) for bond in job.bonds)
    return replace(job, bodies=tuple(bodies), glues=glues, bonds=bonds), np.array(owners, int)


def find_islands(surface: Surface) -> list[Surface]:
    """Divide a surface into its islands, the largest area first. A cavity belongs to the island around it.

    Args:
        surface: Closed shells.

    Returns:
        A surface for each island.

    Example:
        Two tetrahedra, the second one twice as large.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> both = Surface(np.concatenate([corners, 2.0 * corners + 5.0]), np.concatenate([faces, faces + 4]))
        >>> [float(island.points.min()) for island in find_islands(both)]
        [5.0, 0.0]
    """
    table = shells.edges(surface.faces)
    label = closing.shells_with_linings(surface)
    count = int(label.max(initial=-1)) + 1
    if count < 2:
        return [surface]
    open_shell = np.bincount(label, (table.face_count != 2)[table.of_corner].any(axis=1), count) > 0
    hollow = (shells.shell_volumes(surface, label) < 0.0) & ~open_shell
    inside = shells.containment(surface, label)
    inside[open_shell | hollow] = False
    areas = np.array([area(_select(surface, label == number)) for number in range(count)])
    for number in np.flatnonzero(hollow & inside.any(axis=0)):
        around = np.flatnonzero(inside[:, number])
        label[label == number] = around[np.argmin(areas[around])]
    order = [number for number in np.argsort(-areas, kind="stable") if (label == number).any()]
    return [cleaning.compact(_select(surface, label == number)) for number in order]


def _select(surface: Surface, faces: np.ndarray) -> Surface:
    return cleaning.picked(surface, surface.faces, np.flatnonzero(faces))


def _split_body(body: Body, frame_start: int) -> list[Body]:
    """Return the bodies that replace a body."""
    islands = find_islands(body.surface)
    if len(islands) == 1:
        return [body]
    if body.settings.motion.deforms:
        raise SettingsError(
            f"'{body.name}' is deformable and has {len(islands):,} islands, which cannot be separate bodies; "
            "set Islands to Join, or Dynamics to Rigid"
        )
    if len(islands) > MOST_ISLANDS:
        raise InvalidMeshError(
            f"'{body.name}' has {len(islands):,} islands, and at most {MOST_ISLANDS} can be separate bodies; "
            "set Islands to Join (--islands join), or split the object"
        )
    center = center_of(body.surface)
    shares = np.array([abs(volume(island)) or TINY_VOLUME for island in islands])
    shares /= shares.sum()
    centers = [center_of(island) for island in islands]
    rows_of_impacts = _rows_of_impacts(body, islands, frame_start)
    return [
        replace(
            body,
            surface=with_fragment_attributes(island),
            settings=_island_settings(body.settings, float(share)),
            velocity=body.velocity + np.cross(body.angular_velocity, own_center - center),
            impacts=tuple(
                impact for impact, number in zip(body.impacts, rows_of_impacts, strict=True) if number == row
            ),
            island_share=float(share),
        )
        for row, (island, share, own_center) in enumerate(zip(islands, shares, centers, strict=True))
    ]


def _island_settings(settings: Settings, share: float) -> Settings:
    """Return the settings of an island: its share of the volume is its share of the cells and of the fragments."""
    pieces = settings.pieces.piece_count and max(FEWEST_PIECES, round(share * settings.pieces.piece_count))
    cells = max(FEWEST_CELLS, round(share * settings.filling.cell_count))
    return settings.changed(cell_count=cells, piece_count=pieces)


def _rows_of_impacts(body: Body, islands: Sequence[Surface], frame_start: int) -> list[int]:
    """Return the island of each of the artist's impacts: the nearest to its point in rest space."""
    center, rows = center_of(body.surface), []
    for impact in body.impacts:
        pose = np.concatenate([center, IDENTITY[3:]])
        if body.track is not None:
            pose = pose_on_track(body.track, impact.frame - frame_start, center)
        point = rest_point(pose, center, impact.point)[None]
        rows.append(int(np.argmin([nearest(island, point)[2][0] for island in islands])))
    return rows


def merge(recording: Recording, job: Job, owners: np.ndarray) -> Recording:
    """Merge the islands of a recording into the objects that they belong to.

    Args:
        recording: Recording of the job that ``split`` returned.
        job: The original job.
        owners: (B,) rows that ``split`` returned.
    """
    if len(owners) == len(job.bodies):
        return recording
    groups = [np.flatnonzero(owners == row) for row in range(len(job.bodies))]
    tracks = tuple(
        _hidden_track(recording, job.bodies[row]) if len(group) > 1 else recording.bodies[group[0]]
        for row, group in enumerate(groups)
    )
    fragments = tuple(replace(item, body=int(owners[item.body])) for item in recording.fragments)
    debris = [replace(item, body=int(owners[item.body])) for item in recording.debris]
    reports = recording.report["bodies"]
    return replace(
        recording,
        bodies=tracks,
        fragments=fragments,
        report={**recording.report, "bodies": [_merge_reports([reports[row] for row in group]) for group in groups]},
        deformed=tuple(replace(item, body=int(owners[item.body])) for item in recording.deformed),
        debris=tuple(
            _merge_debris([item for item in debris if item.body == row]) for row in sorted({d.body for d in debris})
        ),
        events=recording.events.with_bodies(owners),
    )


def _hidden_track(recording: Recording, body: Body) -> Track:
    """Return the track of an object that its islands replace from the first frame on."""
    center = center_of(body.surface)
    still = np.tile(np.concatenate([center, IDENTITY[3:]]), (len(recording.bodies[0].poses), 1))
    return Track(body.name, center, recording.frame_start, still)


def _merge_debris(debris: Sequence[Debris]) -> Debris:
    if len(debris) == 1:
        return debris[0]
    return Debris(
        debris[0].body,
        np.concatenate([item.birth_frames for item in debris]),
        np.concatenate([item.sizes for item in debris]),
        np.concatenate([item.velocities for item in debris]),
        np.concatenate([item.poses for item in debris], axis=1),
    )


def _merge_reports(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the report of an object from those of its islands."""
    if len(reports) == 1:
        return dict(reports[0])
    sums = {name: sum(report[name] for report in reports) for name in SUMS}
    most_loaded = max(reports, key=lambda report: (report["breaks"] > 0, report["load_factor"]))
    # Without any break, one warning about the most loaded island is enough.
    warned = [report for report in reports if report["breaks"]] or [most_loaded]
    volumes = np.array([report["volume"] for report in reports])
    repairs = [report["repair"] for report in reports]
    changed = [repair for repair in repairs if repair["changed"]]
    sentence = f"{len(reports)} islands, each a separate body" + (
        f"; {len(changed)} repaired, the first: {changed[0]['sentence']}" if changed else ""
    )
    return {
        **reports[0],
        **sums,
        "dust_volume": float(volumes @ [report["dust_volume"] for report in reports] / volumes.sum()),
        "volume_error": max(report["volume_error"] for report in reports),
        "load_factor": most_loaded["load_factor"],
        "repair": {
            **repairs[0],
            "moved": max(repair["moved"] for repair in repairs),
            "changed": True,
            "sentence": sentence,
        },
        "warnings": list(dict.fromkeys(text for report in warned for text in report["warnings"])),
    }
