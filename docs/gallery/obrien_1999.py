"""Draw the scenes of O'Brien and Hodgins 1999 and 2000: `python docs/gallery/obrien_1999.py wall_1 bowl_1`, or all.

Writes ``docs/gallery/obrien_<scene>.jpg`` and says how many pieces there are. Bodies that float freely under a pulse of
force are drawn by Matplotlib; whole scenes, on the timeline, need the bpy module.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fracture_addon.core.data.recording import NEVER  # noqa: E402
from fracture_addon.core.data.solid import CELL_FACES, cell_centers, cell_volumes  # noqa: E402
from fracture_addon.core.data.surface import volume  # noqa: E402
from tests.papers.obrien_scenes import SCENES, Struck, strike  # noqa: E402

LIGHT = np.array([0.3, 0.5, 0.8])
# How far pieces are moved apart, over their distance from the middle.
SPREAD = 0.25
# Scenes that the extension comes with, as presets, and frames after the break that are drawn.
PLAYED = (
    "wall_1",
    "wall_2",
    "several",
    "tray",
    "statue",
    "sheet_brittle",
    "sheet_light",
    "sheet_plastic",
    "sheet_grained",
)
FRAMES, ROOM, SIZE, VIEW = (-1, 2, 10), 0.6, (320, 240), (0.7, -1.0, 0.45)
# The slab is drawn by the command on the page.
ALL = tuple(dict.fromkeys(name for name in (*SCENES, *PLAYED) if name != "glass"))


def main() -> None:
    """Read the command line, strike and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "scenes",
        nargs="*",
        choices=[*ALL, []],
        metavar="SCENE",
        help=f"{', '.join(ALL)}; all if none is named",
    )
    parser.add_argument("--resolution", type=int, default=1200, metavar="CELLS", help="elements; default 1200")
    arguments = parser.parse_args()
    for name in arguments.scenes or ALL:
        if name in PLAYED:
            _play(name, arguments.resolution)
            continue
        struck = strike(name, arguments.resolution)
        shares = struck.shares
        sys.stdout.write(
            f"{name}: {struck.solid.cell_count} elements, {struck.cracked_solid.cell_count} after cracking; "
            f"{len(shares)} pieces, {np.count_nonzero(shares > 0.01)} above 1 %, the largest {shares[0]:.0%}; "
            f"{struck.result.load_factor:.1f} times the critical load\n"
        )
        _draw(struck, Path(__file__).parent / f"obrien_{name}.jpg", (30.0, 20.0))


def _play(name: str, cell_count: int) -> None:
    """Run a scene from its first frame to its last, and draw some of them."""
    import bpy
    import stage

    from fracture_addon.blender import registration
    from fracture_addon.blender.read import settings
    from fracture_addon.blender.read.job import read_job
    from fracture_addon.blender.setup import presets
    from fracture_addon.core.timeline.timeline import simulate

    if not hasattr(bpy.types.Object, "fracture"):
        registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    objects = presets.build(bpy.context, presets.shipped_folder(presets.SCENES) / f"obrien_{name}.py")
    for obj in objects:
        obj.fracture.resolution = cell_count // len(objects)
    job = read_job(bpy.context, objects, settings.frame_range(bpy.context.scene))
    recording = simulate(job, lambda _stage, _share: None)
    for row, body in enumerate(recording.report["bodies"]):
        sys.stdout.write(
            f"{name}: {body['name']}, {body['cells']} elements; {body['fragments']} pieces, those above 1 % have "
            f"{_large_share(recording, row):.0%}, {body['breaks']} breaks, dust {body['dust_volume']:.0%}; "
            f"{body['load_factor']:.1f} times the critical load\n"
        )
    unbroken = [body.surface for body in job.bodies]
    hues = [0.07 + 0.2 * row for row in range(len(unbroken))]
    breaks = [track.break_frame for track in recording.bodies if track.break_frame != NEVER]
    first = min(breaks, default=job.frame_end // 2)
    balls = {collider.name: collider.surface for collider in job.colliders}
    whole = stage.at_frame(recording, max(first - 1, job.frame_start), hues, 1.0, unbroken)
    # One camera for all frames, with room around the whole bodies.
    points = np.concatenate([solid.surface.points for solid in whole])
    focus, row = points + ROOM * (points - points.mean(axis=0)), []
    for frame in (min(max(first + step, job.frame_start), job.frame_end) for step in FRAMES):
        solids = stage.at_frame(recording, frame, hues, 1.0, unbroken)
        for track in recording.projectiles:
            pose = track.poses[frame - recording.frame_start]
            solids.append(stage.Solid(stage.placed(balls[track.name], track.center, pose), (0.3, 0.32, 0.35)))
        row.append((f"frame {frame - first:+d}", stage.picture(solids, VIEW, focus, SIZE, floor=_floor(job))))
    stage.sheet([row], Path(__file__).parent / f"obrien_{name}.jpg")


def _large_share(recording, body: int) -> float:
    """Share of a body's volume in pieces of more than a hundredth of it, at the end."""
    last = [piece for piece in recording.fragments if piece.body == body and piece.death_frame == NEVER]
    volumes = np.array([volume(piece.surface) for piece in last])
    return float(volumes[volumes > 0.01 * volumes.sum()].sum() / volumes.sum()) if last else 1.0


def _floor(job) -> float:
    return max(float(collider.surface.points[:, 2].max()) for collider in job.colliders if collider.mass == 0.0)


def _draw(struck: Struck, path: Path, view: tuple[float, float]) -> None:
    """The pieces moved apart, crack faces red."""
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    triangles, colors = _triangles(struck)
    figure = plt.figure(figsize=(6.0, 6.0), dpi=80)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    axes.add_collection3d(Poly3DCollection(triangles, facecolors=colors))
    low, high = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    middle, half = 0.5 * (low + high), 0.42 * float((high - low).max())
    axes.set(xlim=middle[0] + [-half, half], ylim=middle[1] + [-half, half], zlim=middle[2] + [-half, half])
    axes.view_init(*view)
    axes.set_axis_off()
    figure.savefig(path)
    plt.close(figure)


def _triangles(struck: Struck) -> tuple[np.ndarray, np.ndarray]:
    """Return the faces (F, 3, 3) of all pieces, moved apart, and their colours (F, 3)."""
    solid, label = struck.cracked_solid, struck.result.fragment_of_cell
    volumes, centers = cell_volumes(solid.points, solid.cells), cell_centers(solid.points, solid.cells)
    moments = [np.bincount(label, volumes * centers[:, axis]) for axis in range(3)]
    middles = np.stack(moments, axis=1) / np.bincount(label, volumes)[:, None]
    faces, owner = solid.cells[:, CELL_FACES].reshape(-1, 3), label[np.repeat(np.arange(solid.cell_count), 4)]
    keys = np.sort(faces, axis=1)
    within = _count_of_each(np.column_stack([keys, owner])) == 2
    between = (_count_of_each(keys) == 2)[~within]
    faces, owner = faces[~within], owner[~within]
    triangles = solid.points[faces] + SPREAD * (middles - centers.mean(axis=0))[owner][:, None]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    colors = 0.35 + 0.6 * np.random.default_rng(3).random((len(middles), 3))[owner]
    colors *= (0.55 + 0.45 * np.abs(normals @ LIGHT))[:, None]
    colors[between] = 0.5 * colors[between] + [0.4, 0.1, 0.05]
    return triangles, np.clip(colors, 0.0, 1.0)


def _count_of_each(rows: np.ndarray) -> np.ndarray:
    """Return how often each row of (N, K) occurs, (N,)."""
    _, inverse, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return counts[inverse.ravel()]


if __name__ == "__main__":
    main()
