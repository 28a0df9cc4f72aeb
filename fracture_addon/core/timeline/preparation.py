"""Preparation of a job's bodies: check, repair, fill with cells, build the method's model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from ..cutting.cell_complex import CellComplex
from ..data.arrays import digest
from ..data.cell_preview import Preview, separate_cells
from ..data.errors import InvalidMeshError, SettingsError, about
from ..data.job import Body, Job, check_loads
from ..data.progress import FirstShown, Progress
from ..data.settings.settings import FillSettings, ModelSettings
from ..data.solid import SolidModel
from ..data.surface import Surface
from ..fields.strength import bond_strengths
from ..meshing.filling.grain_stretch import grain_squeeze, squeezed
from ..meshing.repair.repair import RepairReport, openings_of, prepare_body, report_if_clean
from ..methods import table
from ..methods.method import UNPREPARED
from ..numerics.threads import in_order
from . import assemblies
from .cache import NO_CACHE, Cache, Memory
from .impact_forecast import refine_at_impacts
from .joined_solid import same_shape_step
from .rigid_fragment import Breakable

# Progress of a body's preparation: share after its repair, and after its filling. They affect only the progress bar.
REPAIRED, FILLED = 0.3, 0.7
# m, diagonals of bodies that can be broken. Cubes of 1e-8 to 1e15 m broke with every method; at 1e-20 m, libraries
# crash.
SMALLEST, LARGEST = 1e-6, 1e6
# Largest distance from the origin over the diagonal: 1e6 worked, at 1e7 the shape is lost to rounding.
FARTHEST = 2e6

# Surface of a body, its cells, and the report of its repair.
Filled = tuple[Surface, SolidModel, dict[str, object]]


@dataclass(frozen=True)
class Repaired:
    """Result of the repair of a surface.

    Attributes:
        surface: The repaired surface; ``None`` if nothing was changed.
        report: Report of the repair.
    """

    surface: Surface | None
    report: RepairReport


def check(job: Job) -> None:
    """Refuse a job in which nothing can break.

    Raises:
        SceneError: There is nothing to break, nothing can hit it, or a bond does not connect two objects of the job.
        SettingsError: The frame range, rate, number of sub-steps, tempering or method of a bonded body is invalid.
    """
    check_loads(job)
    if job.frame_end <= job.frame_start:
        raise SettingsError(
            f"the frame range {job.frame_start} to {job.frame_end} is empty; set the end after the start"
        )
    if not job.frame_rate > 0.0 or job.substeps < 1:
        raise SettingsError(
            f"the frame rate is {job.frame_rate:g} and the number of sub-steps is {job.substeps}; set both above zero"
        )
    assemblies.check(job)
    for body in job.bodies:
        table.method(body.settings).check(body)


def check_size(body: Body) -> None:
    """Refuse a body that is too small, too large or too far away to compute with.

    Raises:
        InvalidMeshError: The body is too small, too large or too far away. The message has its size and the limit.
    """
    size = body.surface.diagonal
    if not size > 0.0 or not np.isfinite(body.surface.points).all():
        return  # the check of the mesh reports the problem
    if size < SMALLEST:
        problem = f"it is {size:.2g} m across, and the smallest size is {SMALLEST:g} m; scale it up"
    elif size > LARGEST:
        problem = f"it is {size:.2g} m across, and the largest size is {LARGEST:g} m; scale it down"
    elif (distance := float(np.abs(body.surface.points).max())) > FARTHEST * size:
        problem = (
            f"it is {size:.2g} m across and {distance:.2g} m from the world's origin, where its shape is lost to "
            "rounding; move it nearer to the origin"
        )
    else:
        return
    raise InvalidMeshError(f"'{body.name}' cannot be broken: {problem}")


def prepare(job: Job, row: int, progress: Progress, cache: Cache = NO_CACHE, copies: Memory | None = None) -> Breakable:
    """Fill one body of a job and build its method's model, which a bonded body does not need.

    Args:
        job: The scene.
        row: Row of the body.
        progress: As in ``fill``.
        cache: As in ``fill``.
        copies: As in ``fill``.

    Raises:
        InvalidMeshError: The body's surface cannot be used.
    """
    return _built(job, row, fill(job, row, progress, cache, copies), progress, cache)


def _built(job: Job, row: int, filled: Filled, progress: Progress, cache: Cache) -> Breakable:
    """Build the model of a body that ``fill`` returned."""
    body, (surface, solid, report) = job.bodies[row], filled
    progress(f"Building '{body.name}'", (row + FILLED) / len(job.bodies))
    settings = body.settings.part(ModelSettings)
    cell_complex = cache.in_memory("complex", (solid,), lambda: CellComplex(solid))
    if row in job.bonded_rows:
        return Breakable(body, surface, solid, UNPREPARED, report, cell_complex)
    with about(body.name):
        prepared = cache.in_memory(
            "model", (solid, body.material, settings), lambda: table.prepare(solid, body.material, settings)
        )
    return Breakable(body, surface, solid, prepared, report, cell_complex)


def prepare_all(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> list[Breakable]:
    """Return all bodies of a job after ``prepare``. All threads fill bodies, while this one builds their models."""
    copies, shown, bodies = Memory(), FirstShown(progress), []

    def filled(row: int) -> Filled:
        return fill(job, row, shown.of(row), cache, copies)

    for row, result in enumerate(in_order(filled, len(job.bodies))):
        bodies.append(_built(job, row, result, shown.of(row), cache))
        shown.next()
    return bodies


def fill(job: Job, row: int, progress: Progress, cache: Cache = NO_CACHE, copies: Memory | None = None) -> Filled:
    """Check one body of a job, repair it if the settings ask for it, and fill it with cells.

    Args:
        job: The scene.
        row: Row of the body.
        progress: Called with the name of the stage and the share of all bodies' preparation that is done.
        cache: Results of earlier runs.
        copies: Results of earlier bodies of this run, which copies of a bonded object share.

    Returns:
        The surface, its cells, and the report of the repair.

    Raises:
        InvalidMeshError: The body's surface cannot be used.
    """
    body, count = job.bodies[row], len(job.bodies)
    check_size(body)
    if body.thin is not None:
        progress(f"Filling '{body.name}'", row / count)
        solid = table.method(body.settings).discretise_thin(body.thin, body.settings.seed)
        return body.surface, solid, {}
    wanted = body.settings.repair
    start, width = row / count, 1.0 / count
    progress(f"Checking '{body.name}'", start)

    def report_repair(share: float) -> None:
        progress(f"Repairing '{body.name}'", start + REPAIRED * width * share)

    def run_repair() -> Repaired:
        surface, report = prepare_body(body, report_repair)
        return Repaired(None if surface is body.surface else surface, report)

    copies, is_bonded = copies or Memory(), row in job.bonded_rows
    clean = _shared_report(body.surface, copies) if is_bonded else None
    if clean is not None:
        repaired = Repaired(None, clean)
    else:
        repaired = cache.result("repaired", Repaired, (body.surface, wanted.repair, openings_of(body)), run_repair)
    surface, report = repaired.surface or body.surface, repaired.report
    progress(f"Filling '{body.name}'", start + REPAIRED * width)
    settings = body.settings.part(FillSettings)
    try:
        if is_bonded:
            solid = _bonded_cells(surface, settings, cache, copies)
        else:
            solid = _cells(surface, settings, cache, _squeeze(body))
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}' cannot be broken: {error}") from error
    return surface, solid, _as_json(report)


def _squeeze(body: Body) -> np.ndarray | None:
    """Return ``grain_squeeze`` for a body whose method can have stretched cells."""
    stretches = table.capabilities(body.settings).stretched_cells
    return grain_squeeze(body.material, body.settings.strength) if stretches else None


def _cells(surface: Surface, settings: FillSettings, cache: Cache, squeeze: np.ndarray | None = None) -> SolidModel:
    """Return the cells of a surface; with a ``squeeze``, those of the squeezed surface, stretched again."""
    if squeeze is not None:
        surface, settings = squeezed(surface, settings, squeeze)
    solid = cache.result(
        "solid", SolidModel, (surface.points, surface.faces, settings), lambda: table.discretise(surface, settings)
    )
    return solid if squeeze is None else replace(solid, points=solid.points @ np.linalg.inv(squeeze))


def _shared_report(surface: Surface, copies: Memory) -> RepairReport | None:
    """Return the report of a bonded object that needs no repair, which its copies share; ``None`` if it needs one."""
    if not 0.0 < surface.diagonal < np.inf:
        return None
    plain = _at_origin(surface)
    report = copies.result(digest(("clean", plain)), lambda: report_if_clean(plain))
    return None if report is None else replace(report, diagonal=surface.diagonal)


def _bonded_cells(surface: Surface, settings: FillSettings, cache: Cache, copies: Memory) -> SolidModel:
    """Return the cells of a bonded body. It is moved to the origin first, so that copies share their cells."""
    if settings.filling.fineness_regions or settings.filling.painted_fineness is not None:
        return _cells(surface, settings, cache)
    plain, origin = _at_origin(surface), surface.points.min(axis=0)
    solid = copies.result(digest(("solid", plain, settings)), lambda: _cells(plain, settings, cache))
    return replace(solid, points=solid.points + origin) if origin.any() else solid


def _at_origin(surface: Surface) -> Surface:
    """Return a surface moved to the origin and rounded, so that copies of an object are equal."""
    step = same_shape_step(surface)
    return Surface(step * np.round((surface.points - surface.points.min(axis=0)) / step), surface.faces)


def _as_json(report: RepairReport) -> dict[str, object]:
    """Return a report as JSON values. A mesh without openings has no ``openings`` in it."""
    values = {**asdict(report), "done": list(report.done), "sentence": report.sentence()}
    return {name: value for name, value in values.items() if name != "openings" or value}


def preview_cells(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> Preview:
    """Return the cells that the bodies of a job would be filled with, and their strengths.

    Args:
        job: The scene. Colliders matter only for bodies with finer cells at impacts.
        progress: Called with the name of the stage and the share that is done.
        cache: Results of earlier runs.

    Raises:
        InvalidMeshError: A body's surface cannot be used.
    """
    job, bodies = refine_at_impacts(job, progress), []
    for row, body in enumerate(job.bodies):
        _, solid, _ = fill(job, row, progress, cache)
        strengths = bond_strengths(solid, body.material, body.settings)
        bodies.append(separate_cells(solid, strengths / body.material.tensile_strength))
    return Preview(tuple(bodies))
