"""Small scenes of every kind whose recordings must stay the same, byte for byte, while the code is rearranged.

Digests belong to one kind of machine and one set of libraries, because rounding differs between them:

    python -m tests.recordings            compares, and prints what differs
    python -m tests.recordings --write    stores the digests of this machine in tests/recordings.json

Set OPENBLAS_NUM_THREADS=1, as ``make`` does: several threads of linear algebra round differently.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import llvmlite.binding
import numpy as np
import scipy

from fracture_addon.core.data import arrays
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Glue, Job, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.placed_fields import CleavingPlane, GrainDirection, PaintedField, Region
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

STORED = Path(__file__).with_suffix(".json")
FLOOR = Collider("Floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
GLASS = Material("Glass", 2500.0, 71e9, 0.23, 40e6, 330e6, 0.75e6)
SOFT_CHALK = Material("Chalk", 1500.0, 1e6, 0.25, 2e4, 1e6, 1e3, strength_variation=0.1)
DOWN = np.array([0.0, 0.0, -1.0])
BRITTLE = Settings.of(cell_count=600, seed=3, break_depth=1)
SOFT = Settings.of(
    method="lattice", dynamics="deformable", lattice="cubes", softening=1.0, cell_count=400, noise=0.0, seed=2
)


def machine() -> str:
    """Name of the processor, its instruction sets and the libraries whose rounding a recording depends on."""
    features = llvmlite.binding.get_host_cpu_features().flatten()
    processor = f"{llvmlite.binding.get_host_cpu_name()}-{hashlib.sha256(features.encode()).hexdigest()[:8]}"
    blas = os.environ.get("OPENBLAS_CORETYPE", "its own kernels")
    return f"{processor}, numpy {np.__version__}, scipy {scipy.__version__}, BLAS {blas}"


def _tilted_box(height: float, size=(0.12, 0.1, 0.02)) -> Surface:
    cosine, sine = np.cos(0.4), np.sin(0.4)
    turned = shapes.moved(shapes.box(size), rotation=[[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    return shapes.moved(turned, offset=(0.0, 0.0, height - turned.points[:, 2].min()))


def _dropped(method: str, speed: float = 6.0, **settings) -> Job:
    body = Body("Tile", _tilted_box(0.05), PORCELAIN, BRITTLE.changed(method=method, **settings), velocity=speed * DOWN)
    return Job((body,), (FLOOR,), 1, 8)


def hit_by_a_ball(method: str) -> Job:
    surface = shapes.moved(shapes.icosphere(0.02), offset=(-0.15, 0.01, 0.04))
    ball = Collider("Ball", surface, "sphere", mass=1.0, velocity=np.array([60.0, 0.0, 0.0]))
    block = Body("Block", shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, 0.04)), PORCELAIN, BRITTLE.changed(method=method))
    return Job((block,), (FLOOR, ball), 1, 8)


def _struck(surface=None, material=PORCELAIN, strength=8.0, place=(0.02, 0.01, 0.04), **settings) -> Body:
    surface = surface if surface is not None else shapes.box((0.16, 0.1, 0.04), (0.0, 0.0, 0.02))
    impact = AuthoredImpact(2, np.array(place), DOWN, strength)
    return Body("Slab", surface, material, BRITTLE.changed(**settings), impacts=(impact,))


def _impact(**values) -> Job:
    return Job((_struck(**values),), (FLOOR,), 1, 6)


def _placed_fields() -> Job:
    surface = shapes.box((0.16, 0.1, 0.04), (0.0, 0.0, 0.02))
    wood = replace(PORCELAIN, grain_strength_ratio=10.0)
    painted = PaintedField(surface.points, surface.faces, np.linspace(0.3, 1.0, len(surface.points)))
    return _impact(
        surface=surface,
        material=wood,
        planes=(CleavingPlane(np.array([0.03, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])),),
        regions=(Region(np.array([-0.05, 0.0, 0.02]), 0.03, strength=0.3, density=2.0),),
        grains=(GrainDirection(np.zeros(3), np.array([1.0, 0.2, 0.0])),),
        painted_strength=painted,
    )


def _several_bodies() -> Job:
    upper = Body(
        "Upper", _tilted_box(0.1), PORCELAIN, BRITTLE.changed(seed=5, break_depth=2), velocity=np.array([0, 0, -8.0])
    )
    lower = Body("Lower", shapes.box((0.1, 0.1, 0.06), (0.0, 0.0, 0.03)), GLASS, BRITTLE)
    return Job((upper, lower), (FLOOR,), 1, 8)


def _islands() -> Job:
    parts = shapes.joined(shapes.box((0.1, 0.1, 0.04), (0.0, 0.0, 0.02)), shapes.box((0.1, 0.1, 0.04), (0.2, 0.0, 0.1)))
    return _impact(surface=parts, islands="separate", strength=10.0)


def _soft_bricks(**settings) -> Job:
    chosen = SOFT.changed(**settings)
    first = Body("First", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.08)), SOFT_CHALK, chosen, velocity=2.0 * DOWN)
    second = Body("Second", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.131)), SOFT_CHALK, chosen, velocity=2.0 * DOWN)
    return Job((first, second), (FLOOR,), 1, 6, glues=(Glue(0, 1, 0.015),))


def _soft_elements() -> Job:
    settings = SOFT.changed(method="fem", cell_count=150)
    body = Body("Brick", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.04)), SOFT_CHALK, settings, velocity=2.0 * DOWN)
    return Job((body,), (FLOOR,), 1, 4)


SCENES: dict[str, Callable[[], Job]] = {
    "network dropped, breaks twice": lambda: _dropped("network", break_depth=2),
    "network impact, point bonds": lambda: _impact(bonds="point", strength=30.0),
    "network hit by a ball": lambda: hit_by_a_ball("network"),
    "network impact, rough faces, chips": lambda: _impact(relief="conchoidal", fractal_depth=1, chips=0.2),
    "network impact, wanted count": lambda: _impact(piece_count=6),
    "network impact, tempered, events": lambda: _impact(tempering=5e7, loading="events", strength=2.0),
    "network impact, debris": lambda: _impact(dust="debris", dust_volume=0.02, strength=20.0),
    "network impact, placed fields": _placed_fields,
    "lattice dropped": lambda: _dropped("lattice", 12.0, cell_count=400),
    "lattice cubes hit by a ball": lambda: hit_by_a_ball("lattice"),
    "lattice deformable, glued": _soft_bricks,
    "fem dropped": lambda: _dropped("fem", 5.0, cell_count=100),
    "fem impact": lambda: _impact(method="fem", cell_count=200),
    "fem deformable": _soft_elements,
    "several bodies break": _several_bodies,
    "separate islands": _islands,
}


def record(name: str) -> Recording:
    """Simulate a scene."""
    return simulate(SCENES[name](), lambda stage, share: None)


def digest(recording: Recording) -> str:
    """A digest of the report, the shapes and the motion. The log of events follows from them."""
    fields = {item.name: getattr(recording, item.name) for item in dataclasses.fields(recording)}
    del fields["events"]
    return arrays.digest(fields)


def stored() -> dict[str, str]:
    """The digests of this machine by scene; empty for a machine whose digests nobody stored."""
    return json.loads(STORED.read_text()).get(machine(), {}) if STORED.exists() else {}


def without_changed(every: dict[str, dict[str, str]], here: str, changed: set[str]) -> dict[str, dict[str, str]]:
    """Drop the digests of other processors for scenes whose recording changed here; they are out of date."""

    def is_old(machine: str, name: str) -> bool:
        return name in changed and machine.split(",")[0] != here.split(",")[0]

    return {
        machine: {name: value for name, value in digests.items() if not is_old(machine, name)}
        for machine, digests in every.items()
    }


def main(arguments: list[str]) -> int:
    """Compare the digests, or store them."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        print("Set OPENBLAS_NUM_THREADS=1: digests belong to one thread of linear algebra.", file=sys.stderr)  # noqa: T201
        return 2
    known, found = stored(), {}
    for name in SCENES:
        started = time.perf_counter()
        recording = record(name)
        found[name] = digest(recording)
        said = "same" if known.get(name) == found[name] else "DIFFERS" if name in known else "new"
        seconds = time.perf_counter() - started
        print(f"{said:8}{seconds:6.1f} s  {len(recording.fragments):4} fragments  {name}", flush=True)  # noqa: T201
    if "--write" in arguments:
        changed = {name for name, value in found.items() if known.get(name, value) != value}
        every = json.loads(STORED.read_text()) if STORED.exists() else {}
        kept = without_changed(every, machine(), changed)
        STORED.write_text(json.dumps({**kept, machine(): found}, indent=1) + "\n")
        return 0
    return int(any(known.get(name) != value for name, value in found.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
