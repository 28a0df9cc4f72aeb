"""Results have the same bytes for any number of threads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# One scene of each method, large enough that its compiled loops run in parallel.
SCENES = (
    "network hit by a ball",
    "lattice cubes hit by a ball",
    "lattice deformable, glued",
    "fem dropped",
    "fem impact",
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
