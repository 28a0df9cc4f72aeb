"""Thread settings of a process that computes. Set them before numpy and numba are imported."""

from __future__ import annotations

import os

# On matrices of this size, several threads of linear algebra are slower, and their results are not reproducible.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# Threads of compiled loops sleep while they wait. Spinning threads slow one another when another program needs a core.
# The first is for OpenMP in general. LLVM's OpenMP, which macOS has, also spins for KMP_BLOCKTIME milliseconds.
SLEEPING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}


def apply() -> None:
    """Set the environment variables of this process. Wait policies that the user has set stay."""
    for name in ONE_THREAD:
        os.environ[name] = "1"
    for name, value in SLEEPING.items():
        os.environ.setdefault(name, value)
