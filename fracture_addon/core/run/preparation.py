"""From an object of the job to something that can be struck: check, repair, fill with cells, build the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from .. import method
from ..cutting.cell_complex import CellComplex
from ..errors import InvalidMeshError, SceneError, SettingsError, about
from ..filling.spread import Spread
from ..job import Body, Job, Settings
from ..repair import RepairReport
from ..repair import prepare as repair
from ..solid import SolidModel
from ..stages import NOTHING_KEPT, Stages
from ..strength import bond_strengths
from ..surface import Surface
from .piece import Breakable
from .preview import Preview, cells_apart
from .rehearsal import aimed

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
    progress("Building", (row + 0.7) / len(job.bodies))
    settings = _building(body.settings)
    with about(body.name):
        model = stages.remembered(
            "model", (solid, body.material, settings), lambda: method.build(solid, body.material, settings)
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
    if body.thin is not None:
        progress("Filling", row / count)
        solid = method.named("lattice").discretise_thin(body.thin, body.settings.seed)
        return body.surface, solid, {}
    asked = body.settings
    start, width = row / count, 1.0 / count
    progress("Checking", start)

    def repairing(share: float) -> None:
        progress("Repairing", start + 0.3 * width * share)

    def repaired() -> Repaired:
        surface, report = repair(body.surface, body.name, asked.repair, repairing, asked.wall_thickness)
        return Repaired(None if surface is body.surface else surface, report)

    checked = stages.result("repaired", Repaired, (body.surface, asked.repair, asked.wall_thickness), repaired)
    surface, report = checked.surface or body.surface, checked.report
    progress("Filling", start + 0.3 * width)
    settings = _filling(body.settings)
    try:
        solid = stages.result(
            "solid",
            SolidModel,
            (surface.points, surface.faces, settings),
            lambda: method.discretise(surface, settings),
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
