"""From an object of the job to something that can be struck: check, repair, fill with cells, build the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from ..cutting.cell_complex import CellComplex
from ..data.errors import InvalidMeshError, SceneError, SettingsError, about
from ..data.job import Body, Job, Settings
from ..data.preview import Preview, cells_apart
from ..data.solid import SolidModel
from ..data.surface import Surface
from ..fields.strength import bond_strengths
from ..meshing.filling.cell_sizes import Spread
from ..meshing.repair.repair import RepairReport
from ..meshing.repair.repair import prepare as repair
from ..methods import table
from .cache import NOTHING_KEPT, Stages
from .impact_forecast import aimed
from .piece import Breakable

# Settings that no method reads before a body is struck.
WHEN_STRUCK = (
    *("violence", "piece_count", "loading", "load_steps", "impact_schedule"),
    *("crack_function", "crack_growth", "crack_sharpness", "dust", "dust_volume", "velocity_fit", "break_depth"),
    *("chips", "relief", "roughness", "relief_size", "fractal_depth", "fractal_amplitude", "wall_smoothing"),
    *("face_budget", "contact"),
    *("repair", "wall_thickness"),
)
# Strain at the surface that finite elements may be tempered with: beyond it their forces are far from linear. Glass
# tempered to 100 MPa has 0.0014, and 0.045 where it deforms with the usual softening.
MOST_TEMPERED = 0.1


# m, diagonals of bodies that can be broken. Cubes of 1e-8 to 1e15 m broke with every method; at 1e-20 m, libraries
# crash.
SMALLEST, LARGEST = 1e-6, 1e6
# How far from the origin a body may be, over its diagonal: 1e6 worked, at 1e7 its shape is lost to rounding.
FARTHEST = 2e6


@dataclass(frozen=True)
class Repaired:
    """What came of the check of a surface: another one, or ``None`` where it can be used as it is."""

    surface: Surface | None
    report: RepairReport


def check(job: Job) -> None:
    """Refuse a job in which nothing can happen.

    Raises:
        SceneError: There is nothing to break, or nothing that could break it.
        SettingsError: A frame range, rate, number of sub-steps or tempering makes no sense.
    """
    if not job.bodies:
        raise SceneError("there is nothing to break; select a mesh object")
    if job.frame_end <= job.frame_start:
        raise SettingsError(
            f"the frame range {job.frame_start} to {job.frame_end} is empty; set the end after the start"
        )
    if not job.frame_rate > 0.0 or job.substeps < 1:
        raise SettingsError(
            f"{job.frame_rate:g} frames a second in {job.substeps} sub-steps make no sense; set both above zero"
        )
    for body in job.bodies:
        _check_tempering(body)
        falls = body.settings.dynamics == "deformable" or body.thin is not None
        if not falls and not body.impacts and not job.colliders and len(job.bodies) == 1:
            raise SceneError(
                f"nothing can hit '{body.name}'; add a floor or a projectile (an object with a rigid body), "
                "or an impact"
            )


def check_size(body: Body) -> None:
    """Refuse a body that is too small, too large or too far away to compute with.

    Raises:
        InvalidMeshError: With the size and the limit.
    """
    size = body.surface.diagonal
    if not size > 0.0 or not np.isfinite(body.surface.points).all():
        return  # the check of the mesh says what is wrong
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


def _check_tempering(body: Body) -> None:
    settings, material = body.settings, body.material
    if settings.method != "fem":
        return
    # What deforms is tempered with the root of its softening less, and is softer by all of it.
    ratio = settings.softening**0.5 if settings.dynamics == "deformable" else 1.0
    strain = ratio * settings.tempering * (1.0 - material.poisson_ratio) / material.young_modulus
    if strain > MOST_TEMPERED:
        raise SettingsError(
            f"'{body.name}' cannot be tempered to {settings.tempering:.3g} Pa: its surface would be compressed by "
            f"{strain:.0%}, and more than {MOST_TEMPERED:.0%} cannot be computed; set Tempering to "
            f"{MOST_TEMPERED / strain * settings.tempering:.2g} Pa or less"
        )


def prepare(job: Job, row: int, progress: Callable[[str, float], None], stages: Stages = NOTHING_KEPT) -> Breakable:
    """Make one body of a job ready: ``fill`` it and build its method's model.

    Args, errors: as of ``fill``.
    """
    body = job.bodies[row]
    surface, solid, report = fill(job, row, progress, stages)
    progress(f"Building '{body.name}'", (row + 0.7) / len(job.bodies))
    settings = _building(body.settings)
    with about(body.name):
        model = stages.remembered(
            "model", (solid, body.material, settings), lambda: table.build(solid, body.material, settings)
        )
    around = stages.remembered("complex", (solid,), lambda: CellComplex(solid))
    return Breakable(body, surface, solid, model, report, around)


def fill(
    job: Job, row: int, progress: Callable[[str, float], None], stages: Stages = NOTHING_KEPT
) -> tuple[Surface, SolidModel, dict]:
    """Check one body of a job, repair it where that is wanted, and divide it into cells.

    Args:
        job: The scene.
        row: Of the body.
        progress: Called with the stage's name and the share of all bodies' preparation that is done.
        stages: What earlier runs left.

    Returns:
        The surface, its cells, and what was repaired, for the report.

    Raises:
        InvalidMeshError: The body's surface cannot be used.
    """
    body, count = job.bodies[row], len(job.bodies)
    check_size(body)
    if body.thin is not None:
        progress(f"Filling '{body.name}'", row / count)
        solid = table.named(body.settings.method).discretise_thin(body.thin, body.settings.seed)
        return body.surface, solid, {}
    asked = body.settings
    start, width = row / count, 1.0 / count
    progress(f"Checking '{body.name}'", start)

    def repairing(share: float) -> None:
        progress(f"Repairing '{body.name}'", start + 0.3 * width * share)

    def repaired() -> Repaired:
        surface, report = repair(body.surface, body.name, asked.repair, repairing, asked.wall_thickness)
        return Repaired(None if surface is body.surface else surface, report)

    checked = stages.result("repaired", Repaired, (body.surface, asked.repair, asked.wall_thickness), repaired)
    surface, report = checked.surface or body.surface, checked.report
    progress(f"Filling '{body.name}'", start + 0.3 * width)
    settings = _filling(body.settings)
    try:
        solid = stages.result(
            "solid",
            SolidModel,
            (surface.points, surface.faces, settings),
            lambda: table.discretise(surface, settings),
        )
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{body.name}' cannot be broken: {error}") from error
    return surface, solid, {**asdict(report), "done": list(report.done), "sentence": report.sentence()}


def _filling(settings: Settings) -> Settings:
    """Settings with all at their defaults that have no say in how a surface is filled with cells."""
    return Settings(
        method=settings.method,
        cell_count=settings.cell_count,
        seed=settings.seed,
        lattice=settings.lattice,
        regions=Spread.of(settings).regions,
        interior_points=settings.interior_points,
        painted_fineness=settings.painted_fineness,
        wall_layers=settings.wall_layers,
    )


def _building(settings: Settings) -> Settings:
    """Settings with those at their defaults that have their say only once a body is struck."""
    return replace(settings, **{name: getattr(Settings, name) for name in WHEN_STRUCK})


def divide(job: Job, progress: Callable[[str, float], None], stages: Stages = NOTHING_KEPT) -> Preview:
    """Show what the bodies of a job would be divided into.

    Args:
        job: The scene; only its bodies count, and what strikes those that are finer there.
        progress: Called with the stage's name and the share that is done.
        stages: What earlier runs left.

    Raises:
        InvalidMeshError: A body's surface cannot be used.
    """
    job, bodies = aimed(job), []
    for row, body in enumerate(job.bodies):
        _, solid, _ = fill(job, row, progress, stages)
        strengths = bond_strengths(solid, body.material, body.settings)
        bodies.append(cells_apart(solid, strengths / body.material.tensile_strength))
    return Preview(tuple(bodies))
