"""Deformable bodies as lattices for the whole shot (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.errors import SettingsError, SolverDivergedError
from ...data.impact import Impact
from ...data.job import Job
from ...data.progress import ShareProgress
from ...data.settings.motion import MOST_SOFTENING
from ...data.settings.settings import StrikeSettings
from ..whole_shot import (
    MOST_STRETCH,
    Checkpoint,
    Colliders,
    Debris,
    Deformation,
    ImpactTarget,
    WholeShot,
    gravity_on,
    is_moved,
    moved_points,
    stiffness_on,
)
from .advance import checked_step
from .critical_load import KnownForces, critical_impact
from .debris_shapes import debris_tetrahedra
from .deformable.history import History
from .deformable.soft_bodies import SoftBodies
from .deformable.wind import Skin, air_forces
from .fragment_labels import carrying_cells, without_small
from .integrators import INTEGRATORS
from .model import DAMPING_RATIO, BodyModel

# Updates of air, free projectiles and kinematic bodies in a frame. More are slower: bricks on a blade that rises
# move 62, 68 and 58 mm at 10, 20 and 40, and a sheet in a strong wind tears into 10, 13 and 11 fragments.
UPDATES = 20
# Most steps in a frame of lattices. Porcelain 0.1 m long in 600 cells takes 2,000 with the default softening and 64,000
# without softening; a step of 600 cells takes 40 to 150 microseconds (measured).
MOST_STEPS = 20_000


class LatticeShot(WholeShot):
    """Deformable bodies as lattices.

    Args:
        bodies: Models of the bodies.
        job: The bodies with closed surfaces, glue, wind and gravity.
        colliders: The rigid bodies around them.

    Raises:
        SettingsError: A body is too stiff, or a setting is invalid.
    """

    def __init__(self, bodies: Sequence[BodyModel], job: Job, colliders: Colliders):
        super().__init__()
        _check_steps(job, bodies)
        self._bodies, self._job, self._colliders = bodies, job, colliders
        self._known = [KnownForces() for _ in bodies]
        self._soft = SoftBodies(bodies, job.bodies, job.glues, job.grips, colliders, job.bonds)
        self._soft.start(colliders.motions(0.0, 1.0 / job.frame_rate))
        lattices = [body.model.lattice for body in bodies]
        self._skins = [Skin.of(body, item) for body, item in zip(bodies, job.bodies, strict=True)]
        count = job.frame_end - job.frame_start + 1
        self._histories = [History.of(count, item.node_count, len(item.cells)) for item in lattices]

    def record(self, frame: int) -> None:
        """See ``WholeShot``."""
        soft = self._soft
        for row, history in enumerate(self._histories):
            history.record(frame, soft.nodes(row)[0], soft.intact_cells(row), soft.isolated_nodes(row))

    def advance(self, frame: int, progress: ShareProgress) -> None:
        """See ``WholeShot``."""
        job, colliders, soft = self._job, self._colliders, self._soft
        stiffness = [stiffness_on(body, frame) for body in job.bodies]
        moved = [row for row, body in enumerate(job.bodies) if is_moved(body, job.grips)]
        has_air = bool(job.winds) or any(skin.is_plate for skin in self._skins)
        updates = UPDATES if has_air or colliders.any_free or colliders.any_moves or moved else 1
        seconds = 1.0 / (job.frame_rate * updates)
        for update in range(updates):
            time = frame + update / updates
            for row in moved:
                rest = self._bodies[row].model.lattice.points
                positions = moved_points(job.bodies[row], job.grips, time + 1.0 / updates, rest)
                if positions is not None:
                    soft.move_fixed_nodes(row, positions)
            air = air_forces(job.winds, soft, self._skins, time / job.frame_rate, seconds) if has_air else None
            added = slice(soft.collider_count, None)
            soft.add_colliders(colliders.colliders[added], colliders.centers[added])
            motions = colliders.motions(time, seconds)
            impulses = soft.advance(seconds, gravity_on(job, frame), stiffness, motions, air)
            colliders.advance(time + 1.0 / updates, seconds, impulses)
            progress((update + 1) / updates)
        for row, body in enumerate(job.bodies):
            stretch = soft.stretch(row)
            # The comparison is false also if a position is not a number.
            if not stretch <= MOST_STRETCH:
                raise SolverDivergedError(
                    f"'{body.name}' stretches to {stretch:.3g} times its length before frame "
                    f"{job.frame_start + frame + 1}, and the limit is {MOST_STRETCH:g}; "
                    "lower its Threshold, Softening or Plastic Flow, or slow the motion that pulls it"
                )

    def target(self, row: int) -> ImpactTarget:
        """See ``WholeShot``."""
        body, masses = self._bodies[row], self._bodies[row].model.masses
        return ImpactTarget(
            body.model.lattice.points, self._soft.nodes(row)[0], masses, float(masses.sum()), body.spacing
        )

    def critical(self, row: int, impact: Impact) -> tuple[float, float]:
        """See ``WholeShot``."""
        return critical_impact(self._bodies[row], self._job.bodies[row].settings, impact, self._known[row])

    def strike(self, row: int, impact: Impact, rest_point: np.ndarray) -> None:
        """See ``WholeShot``."""
        self._soft.add_impact(row, impact, impact.duration)

    def deformation(self, row: int) -> Deformation:
        """See ``WholeShot``."""
        body, history = self._bodies[row], self._histories[row]
        settings, count = self._job.bodies[row].settings, len(history.nodes)
        found, valid = self._soft.labels(row), self._soft.intact_cells(row)
        labels = without_small(body, valid, found, settings.part(StrikeSettings))
        intact, broken = carrying_cells(body, history.broken[body.owners], count, labels)
        return Deformation(
            solid=body.solid,
            fragment_of_cell=labels,
            owners=body.owners,
            rest=body.control_points(body.model.lattice.points),
            corners=body.corners,
            paths=history.carrier_paths(body),
            broken=broken,
            intact=intact,
            bond_count=body.model.lattice.bond_count,
            debris=self._debris(row) if settings.pieces.dust_rule.flies else None,
        )

    @property
    def structure(self) -> object:
        """See ``WholeShot``."""
        job = self._job
        lattices = tuple(body.model.lattice for body in self._bodies)
        return lattices, job.glues, job.bonds, tuple(self._colliders.joints)

    def checkpoint(self, frame: int) -> Checkpoint | None:
        """See ``WholeShot``; an impact that is still pushing is not stored."""
        if self._soft.under_impact:
            return None
        return Checkpoint(frame, self._soft.snapshot(), tuple(item.until(frame) for item in self._histories))

    def resume(self, checkpoint: Checkpoint) -> None:
        """See ``WholeShot``."""
        self._soft.restore(checkpoint.state)
        for history, values in zip(self._histories, checkpoint.histories, strict=True):
            history.restore(values)

    def _debris(self, row: int) -> Debris:
        """Return the nodes without bonds as small tetrahedra."""
        lattice, history = self._bodies[row].model.lattice, self._histories[row]
        count = len(history.nodes)
        rows = np.flatnonzero(history.alone < count)
        shapes = debris_tetrahedra(np.zeros((len(rows), 3)), lattice.volumes[rows], self._job.bodies[row].settings.seed)
        visible = np.arange(count)[:, None] >= history.alone[rows]
        offsets = np.where(visible[:, :, None, None], shapes.points.reshape(1, len(rows), 4, 3), 0.0)
        paths = (history.nodes[:, rows][:, :, None] + offsets).reshape(count, -1, 3).astype(np.float32)
        return Debris(shapes, np.repeat(lattice.points[rows], 4, axis=0), paths)


def _check_steps(job: Job, bodies: Sequence[BodyModel]) -> None:
    """Refuse lattices that are too stiff.

    Raises:
        SettingsError: A body takes more than ``MOST_STEPS`` in a frame.
    """
    for body, item in zip(bodies, job.bodies, strict=True):
        softening = item.settings.motion.softening
        ratio = body.model.damping_ratio if item.material.damping_time > 0.0 else DAMPING_RATIO
        share = INTEGRATORS[item.settings.lattice.integrator].step_share(ratio)
        steps = 1.0 / (job.frame_rate * share * checked_step(body.model, None) * float(np.sqrt(softening)))
        if steps > MOST_STEPS:
            # The number of steps is proportional to the square root of the stiffness; 2 % are a margin for rounding.
            enough = 1.02 * softening * (steps / MOST_STEPS) ** 2
            softer = f"set its Softening to {enough:.3g} or more, or " if enough <= MOST_SOFTENING else ""
            raise SettingsError(
                f"'{item.name}' would take {steps:,.0f} steps in a frame, and the limit of a lattice is "
                f"{MOST_STEPS:,}; {softer}lower its detail"
            )
