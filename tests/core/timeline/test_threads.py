"""Results have the same bytes for any number of threads."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.methods import table
from fracture_addon.core.numerics import threads
from fracture_addon.core.timeline.preparation import prepare_all
from tests import shapes

ROOT = Path(__file__).resolve().parents[3]
# A scene of each method, large enough that its compiled loops run in parallel, and one of several bodies.
SCENES = (
    "network hit by a ball",
    "lattice cubes hit by a ball",
    "lattice deformable, glued",
    "fem dropped",
    "fem impact",
    "several bodies break",
)
CODE = """
import sys
from fracture_addon import thread_settings
thread_settings.apply()
from tests import compiled_code, recordings
compiled_code.keep()
import numba
print(numba.get_num_threads(), *(recordings.digest(recordings.record(name)) for name in sys.argv[1:]))
"""


def digests(threads: int) -> tuple[int, list[str]]:
    """The number of threads that numba uses, and the digest of each scene."""
    environment = os.environ | {"NUMBA_NUM_THREADS": str(threads)}
    ended = subprocess.run(
        [sys.executable, "-c", CODE, *SCENES], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    used, *found = ended.stdout.split()
    return int(used), found


def test_one_and_two_threads_give_the_same_bytes():
    if (os.cpu_count() or 1) < 2:
        pytest.skip("this machine has one core")
    one, two = digests(1), digests(2)
    assert (one[0], two[0]) == (1, 2)
    assert dict(zip(SCENES, one[1], strict=True)) == dict(zip(SCENES, two[1], strict=True))


def blocks(sizes) -> Job:
    """A block of each size, m."""
    settings = Settings.of(cell_count=60, seed=3)
    rows = enumerate(sizes)
    return Job(tuple(Body(f"block {row}", shapes.box((size,) * 3), PORCELAIN, settings) for row, size in rows))


def test_bodies_are_filled_at_the_same_time(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 2)
    both, discretise, shown = threading.Barrier(2), table.discretise, []

    def together(*arguments):
        both.wait(60.0)  # a single thread would wait for the other one in vain
        return discretise(*arguments)

    monkeypatch.setattr(table, "discretise", together)
    prepared = prepare_all(blocks([0.1, 0.2]), lambda stage, share: shown.append((stage, share)))
    assert [item.body.name for item in prepared] == ["block 0", "block 1"]
    shares = [share for _, share in shown]
    assert shares == sorted(shares)
    wanted = [f"{stage} 'block {row}'" for row in range(2) for stage in ("Checking", "Filling", "Building")]
    # The second one is shown once the first is ready.
    assert [stage for stage in dict(shown) if stage != "Checking 'block 1'"] == [
        stage for stage in wanted if stage != "Checking 'block 1'"
    ]


@pytest.mark.parametrize("count", [1, 2, 8])
def test_of_several_bad_bodies_the_first_one_is_named(monkeypatch, count):
    monkeypatch.setattr(threads, "THREADS", count)
    with pytest.raises(InvalidMeshError, match="'block 1' cannot be broken"):
        prepare_all(blocks([0.1, 1e-9, 1e9, 0.1]), lambda stage, share: None)
