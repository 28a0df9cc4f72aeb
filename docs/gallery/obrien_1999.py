"""Draw scenes of O'Brien and Hodgins 1999 and 2000: `python docs/gallery/obrien_1999.py wall_1 statue`, or all.

Writes ``docs/gallery/obrien_<scene>.jpg`` and says how many pieces there are. The scenes run on the timeline, which
needs the bpy module. Films and the other pictures: ``films.py``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fracture_addon.core.data.recording import NEVER  # noqa: E402
from fracture_addon.core.data.surface import volume  # noqa: E402

# Scenes that the extension comes with, as presets.
SCENES = (
    "wall_1",
    "wall_2",
    "several",
    "statue",
    "sheet_brittle",
    "sheet_light",
    "sheet_plastic",
    "sheet_grained",
)
# Frames that are drawn, relative to the break.
FRAMES, ROOM, SIZE, VIEW = (-1, 2, 10), 0.6, (320, 240), (0.7, -1.0, 0.45)


def main() -> None:
    """Read the command line, run the scenes and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "scenes",
        nargs="*",
        choices=[*SCENES, []],
        metavar="SCENE",
        help=f"{', '.join(SCENES)}; all if none is named",
    )
    parser.add_argument("--resolution", type=int, default=1200, metavar="CELLS", help="elements; default 1200")
    arguments = parser.parse_args()
    for name in arguments.scenes or SCENES:
        _play(name, arguments.resolution)


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
    objects = presets.build(bpy.context, presets.find(f"obrien_{name}", presets.SCENES))
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


if __name__ == "__main__":
    main()
