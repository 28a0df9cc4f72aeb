"""Estimate of the memory that a run needs, before it starts."""

from __future__ import annotations

from ..data.errors import NotEnoughMemoryError
from ..data.job import Body, Job
from ..storage.free_memory import free_memory

# Bytes per cell and per triangle of a body, fitted to the peak memory of workers on Linux x86-64. The libraries alone
# need 0.26 GB.
#     network, 300, 6,000 and 24,000 cells of a cube:            0.28, 0.50, 0.71 GB
#     lattice, 6,000, 24,000 and 60,000 cells:                   0.41, 0.49, 0.79 GB (the last after 110 s)
#     finite elements, 500, 2,000 and 6,000 cells:               0.34, 0.50, 0.78 GB (the last two after 110 and 150 s)
#     network, 3,000 cells in 100,000 and 400,000 triangles:     1.14, 1.70 GB
#     lattice, 3,000 cells in 200,000 triangles:                 1.95 GB
#     network, 3,000 cells over 2,000 frames (254 fragments):    0.47 GB
#     deformable lattice, 1,000 cells over 400 frames:           0.30 GB
#     deformable lattice in 100,000 triangles, 24 frames:        0.34 GB
# A method that is not in the table counts as the first one.
CELL_BYTES = {"network": 18_000, "lattice": 10_000, "fem": 90_000}
TRIANGLE_BYTES = 6_000
# Bytes of compiled code that a run loads, measured with the peaks above.
CODE_BYTES = 0.15e9
# Bytes of a pose (56) with its copies, cells per fragment, and most fragments in the estimate: fitted to these peaks.
POSE_BYTES, CELLS_A_FRAGMENT, MOST_FRAGMENTS = 4 * 56, 10, 1000
# Bytes of a deformed point (12) per frame with its copies, and points per cell: fitted to these peaks.
POINT_BYTES, POINTS_A_CELL = 5 * 12, 2.0


def check(job: Job) -> None:
    """Refuse a job that needs more memory than is free.

    Raises:
        NotEnoughMemoryError: The message has both figures and the remedy.
    """
    needed, free = estimate(job), free_memory()
    if free is None or needed <= free:
        return
    largest = max(job.bodies, key=lambda body: _of_body(body, _frames(job)))
    remedy = f"lower the detail of '{largest.name}' ({largest.settings.filling.cell_count:,} cells)"
    if len(largest.surface.faces) > largest.settings.filling.cell_count:
        remedy = f"decimate '{largest.name}' ({len(largest.surface.faces):,} triangles), lower the detail"
    raise NotEnoughMemoryError(
        f"the run needs about {_gigabytes(needed)} of memory and {_gigabytes(free)} are free; {remedy}, shorten the "
        "frame range, or close other programs"
    )


def estimate(job: Job) -> float:
    """Return the bytes that a run allocates at its peak, beyond those of this process now.

    Args:
        job: Methods, numbers of cells and triangles, and frames of its bodies.

    Returns:
        Bytes.

    Notes:
        Own fit to measured peaks, see ``CELL_BYTES``.

    Example:
        A network of 10,000 cells takes 18,000 bytes for each.

        >>> from ..data.material import PORCELAIN
        >>> from ..data.settings.settings import Settings
        >>> from ..data.surface import Surface
        >>> surface = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> bodies = [Body("tile", surface, PORCELAIN, Settings.of(cell_count=count)) for count in (10_000, 20_000)]
        >>> low, high = (estimate(Job((body,), frame_end=1)) for body in bodies)
        >>> (high - low) / 10_000
        18000.0
    """
    return CODE_BYTES + sum(_of_body(body, _frames(job)) for body in job.bodies)


def _of_body(body: Body, frames: int) -> float:
    settings, triangles = body.settings, len(body.surface.faces)
    held = (
        settings.filling.cell_count * CELL_BYTES.get(settings.method, CELL_BYTES["network"])
        + triangles * TRIANGLE_BYTES
    )
    if settings.motion.deforms:
        return held + frames * POINT_BYTES * (triangles + POINTS_A_CELL * settings.filling.cell_count)
    return held + frames * POSE_BYTES * min(settings.filling.cell_count / CELLS_A_FRAGMENT, MOST_FRAGMENTS)


def _frames(job: Job) -> int:
    return job.frame_end - job.frame_start + 1


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
