"""A recording without a simulation: bodies fall, turn, and come apart into two halves."""

import numpy as np

from fracture_addon.core.cutting import fragments as cutting
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.recording import NEVER, Fragment, Recording, Track
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.data.surface import Surface, mass_properties
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.numerics.rotations import continuous, moved


def recording(job, break_frame=5, seeds=None, roughness=0.0):
    """Each body falls from the first frame on and breaks on a frame, or ``NEVER``.

    It comes apart across X, or into what is nearest to each of ``seeds`` (N, 3), over its bounding box.
    """
    bodies, fragments, reports = [], [], []
    for row, body in enumerate(job.bodies):
        center = mass_properties(body.surface)[1]
        poses = _falling(job, center, body.track is not None)
        bodies.append(Track(body.name, center, break_frame, poses))
        parts = _parts(body.surface, seeds, roughness) if break_frame != NEVER else []
        fragments += [_fragment(job, row, part, center, poses, break_frame) for part in parts]
        reports.append(
            {
                "name": body.name,
                "fragments": len(parts),
                "volume_error": 0.0,
                "breaks": len(parts) // 2,
                "repair": {"changed": False},
                "warnings": ["a warning"],
            }
        )
    projectiles = []
    for collider in job.colliders:
        if collider.mass > 0.0:
            center = collider.surface.points.mean(axis=0)
            poses = _falling(job, center, True)
            poses[:, 0] += 0.1 * np.arange(len(poses))
            projectiles.append(Track(collider.name, center, NEVER, poses))
    report = {"bodies": reports, "warnings": []}
    return Recording(job.frame_start, tuple(bodies), tuple(projectiles), tuple(fragments), report)


def _falling(job, center, held):
    time = np.arange(job.frame_end - job.frame_start + 1) / job.frame_rate
    poses = np.zeros((len(time), 7))
    poses[:, :3], poses[:, 3] = center, 1.0
    if not held:
        poses[:, 2] -= 4.9 * time**2
        # Through more than half a turn, with the sign of the quaternion flipped now and then: it means nothing.
        sign = np.where(np.arange(len(time)) % 3, 1.0, -1.0)
        poses[:, 3], poses[:, 6] = sign * np.cos(8.0 * time), sign * np.sin(8.0 * time)
        poses[0, 3] = 1.0
    return poses


def _parts(surface, seeds, roughness):
    solid = tetrahedralize(surface, 200 if seeds is None else 1000, 0)
    centers = cell_centers(solid.points, solid.cells)
    if seeds is None:
        labels = centers[:, 0] > surface.points[:, 0].mean()
    else:
        low, size = surface.points.min(axis=0), np.ptp(surface.points, axis=0)
        labels = np.linalg.norm((centers - low)[:, None] / size - seeds, axis=2).argmin(axis=1)
    pieces = cutting.cut(surface, solid, labels.astype(np.int32), Settings.of(roughness=roughness))
    return [piece.surface for piece in pieces]


def _fragment(job, row, part, body_center, body_poses, break_frame):
    mass, center, _ = mass_properties(part, 1000.0)
    surface = Surface(part.points - center, part.faces, part.face_source, part.face_attributes, part.corner_attributes)
    poses = moved(body_poses, body_center, center)
    side = np.sign(center[0] - body_center[0])
    poses[:, 0] += 0.01 * side * np.maximum(np.arange(job.frame_start, job.frame_end + 1) - break_frame, 0)
    return Fragment(row, -1, surface, part.face_source < 0, center, mass, break_frame, NEVER, continuous(poses))
