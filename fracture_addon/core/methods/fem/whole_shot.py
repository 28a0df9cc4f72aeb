"""Deformable bodies as finite elements for the whole shot: one mesh for each body, and contact between bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.job import Glue, Job
from ...data.progress import ShareProgress
from ...data.solid import cell_volumes
from ...fields.airflow import drag_forces
from ...numerics.components import components
from ..pushes import no_pushes
from ..snapshots import prefixed, with_prefix
from ..whole_shot import (
    Checkpoint,
    Colliders,
    Deformation,
    ImpactTarget,
    WholeShot,
    gravity_on,
    moved_points,
    stiffness_on,
)
from .critical_load import critical_impact
from .deformable.body_contacts import BodyContacts
from .deformable.gluing import bond_ties, glue_ties, rigid_joints
from .deformable.shot import Shot
from .deformable.ties import Ties
from .deformable.together import Together
from .deformable.work_limit import WorkLimit
from .model import Model

# Updates of colliders, wind and contact in a frame. More are slower, and results have not converged: two bricks on a
# blade that rises break into 16, 10, 10 and 13 fragments at 20, 40, 80 and 800, and move 73, 77, 108 and 113 mm.
UPDATES = 40
# Number of the frame that reached the work limit, before one did.
NEVER = -1
# Updates if no collider moves and there is no wind. A dropped brick breaks into 10, 15 and 12 fragments at 4, 8 and
# 16, and moves 43, 45 and 44 mm.
UPDATES_AT_REST = 8


class ElementsShot(WholeShot):
    """Deformable bodies as finite elements.

    Args:
        models: Models of the bodies.
        job: The bodies with closed surfaces, wind and gravity.
        colliders: The rigid bodies around them.

    Raises:
        SettingsError: A setting is out of range.
    """

    def __init__(self, models: Sequence[Model], job: Job, colliders: Colliders):
        super().__init__()
        self._models, self._job, self._colliders = models, job, colliders
        frames = job.frame_end - job.frame_start + 1
        asked = sum(body.settings.filling.cell_count for body in job.bodies)
        self._work_limit = WorkLimit(frames, asked, sum(model.solid.cell_count for model in models))
        self._shots = [
            Shot(model, body, colliders.colliders, colliders.centers, self._work_limit, job.grips)
            for model, body in zip(models, job.bodies, strict=True)
        ]
        self._glue = [self._glued(glue) for glue in job.glues if glue.first != glue.second]
        self._glue += [bond_ties(bond, self._shots, job.bodies) for bond in job.bonds]
        self._groups = self._grouped()
        self._contacts = BodyContacts(self._shots, self._work_limit, self._glue)
        self._limit_frame = NEVER

    def record(self, frame: int) -> None:
        """See ``WholeShot``."""
        for shot in self._shots:
            shot.record()

    def advance(self, frame: int, progress: ShareProgress) -> None:
        """See ``WholeShot``."""
        job, colliders, had_time = self._job, self._colliders, not self._work_limit.is_spent
        busy = colliders.any_free or colliders.any_moves or job.winds
        updates = UPDATES if busy and had_time else UPDATES_AT_REST
        seconds = 1.0 / (job.frame_rate * updates)
        for body, shot in zip(self._job.bodies, self._shots, strict=True):
            shot.set_stiffness(stiffness_on(body, frame))
        for update in range(updates):
            time = frame + update / updates
            for shot in self._shots if job.winds else ():
                mesh = shot.mesh
                shot.set_wind(drag_forces(job.winds, mesh.position, mesh.velocity, shot.faces(), time / job.frame_rate))
            # Number of shorter steps, so that bodies do not pass through one another; 0 if no two are near.
            contact_steps = self._contacts.push_count(seconds)
            steps = max(contact_steps, 1)
            for step in range(steps):
                self._advance(gravity_on(job, frame), time + step / (updates * steps), seconds / steps)
                if contact_steps:
                    self._contacts.push(seconds / contact_steps)
                progress((update + (step + 1) / steps) / updates)
        if had_time and self._work_limit.is_spent:
            self._note_limit(frame)

    def target(self, row: int) -> ImpactTarget:
        """See ``WholeShot``."""
        shot, solid = self._shots[row], self._models[row].solid
        inside = shot.mesh.mass > 0.0
        return ImpactTarget(
            shot.mesh.rest[inside],
            shot.mesh.position[inside],
            shot.masses[inside],
            float(cell_volumes(solid.points, solid.cells).sum()) * self._job.bodies[row].material.density,
            shot.size,
        )

    def critical(self, row: int, impact: Impact) -> tuple[float, float]:
        """See ``WholeShot``."""
        return critical_impact(self._models[row], self._job.bodies[row].settings, impact)

    def strike(self, row: int, impact: Impact, rest_point: np.ndarray) -> None:
        """See ``WholeShot``."""
        self._shots[row].strike(replace(impact, point=rest_point))

    def deformation(self, row: int) -> Deformation:
        """See ``WholeShot``."""
        return self._shots[row].deformation()

    @property
    def structure(self) -> object:
        """See ``WholeShot``."""
        job = self._job
        return tuple(model.solid for model in self._models), job.glues, job.bonds, tuple(self._colliders.joints)

    def checkpoint(self, frame: int) -> Checkpoint | None:
        """See ``WholeShot``; an impact that is still pushing is not stored."""
        if any(shot.under_impact for shot in self._shots):
            return None
        state = {"limit": np.array([self._work_limit.spent, self._limit_frame])}
        state |= prefixed("contacts", self._contacts.snapshot())
        for number, ties in enumerate(self._glue):
            state |= prefixed(f"glue{number}", ties.snapshot())
        for number, group in enumerate(self._groups):
            if group.joints is not None:
                state |= prefixed(f"joints{number}", group.joints.snapshot())
        for row, shot in enumerate(self._shots):
            state |= prefixed(f"body{row}", shot.snapshot())
        copies = {name: np.array(value) for name, value in state.items()}
        return Checkpoint(frame, copies, tuple(shot.frames for shot in self._shots))

    def resume(self, checkpoint: Checkpoint) -> None:
        """See ``WholeShot``."""
        state = {name: np.array(value) for name, value in checkpoint.state.items()}
        self._work_limit.spent, limit_frame = state["limit"].tolist()
        if limit_frame != NEVER:
            self._note_limit(int(limit_frame))
        self._contacts.restore(with_prefix("contacts", state))
        for row, (shot, frames) in enumerate(zip(self._shots, checkpoint.histories, strict=True)):
            shot.restore(with_prefix(f"body{row}", state))
            shot.frames = dict(frames)
        for number, ties in enumerate(self._glue):
            ties.restore(with_prefix(f"glue{number}", state))
        for number, group in enumerate(self._groups):
            if group.joints is not None:
                group.joints.restore(with_prefix(f"joints{number}", state))
            group.restore()

    def _glued(self, glue: Glue) -> Ties:
        """Return the ties of glue between two bodies; warn if their surfaces are too far apart."""
        ties = glue_ties(glue, self._shots, self._job.bodies)
        if not ties.count:
            first, second = (self._shots[row].name for row in ties.rows)
            self.warnings.append(
                f"'{first}' is glued to '{second}', but they do not face each other within {glue.distance:g} m; raise "
                "its Glue Distance"
            )
        return ties

    def _grouped(self) -> list[Together]:
        """Return the groups of bodies that glue and joints connect, also by joints with the same rigid body.

        The bodies of a group get the smallest of their steps.
        """
        job, count, colliders = self._job, len(self._shots), self._colliders
        pairs = [ties.rows for ties in self._glue if ties.count]
        pairs += [(joint.row, count + joint.collider) for joint in colliders.joints]
        group = components(np.array(pairs, np.int64).reshape(-1, 2), count + len(colliders.colliders))[:count]
        result = []
        for number in np.unique(group).tolist():
            shots = {row: self._shots[row] for row in np.flatnonzero(group == number).tolist()}
            step = min(shot.step for shot in shots.values())
            for shot in shots.values():
                if shot.step > step:
                    shot.shorten_step(step)
            own = [ties for ties in self._glue if ties.count and ties.rows[0] in shots]
            result.append(Together(shots, own, rigid_joints(shots, job.bodies, colliders, step)))
        return result

    def _note_limit(self, frame: int) -> None:
        """Warn that a frame reached the work limit."""
        self._limit_frame = frame
        self.warnings.append(_limit_warning(self._job, frame))

    def _advance(self, gravity: np.ndarray, time: float, seconds: float) -> None:
        """Advance bodies and colliders by ``seconds`` from a time in frames since the first frame."""
        end = time + seconds * self._job.frame_rate
        colliders = self._colliders
        for shot in self._shots:
            shot.add_colliders(colliders.colliders, colliders.centers)
        motions = colliders.motions(time, seconds)
        impulses = no_pushes(len(motions))
        grips = self._job.grips
        targets = {
            row: moved_points(body, grips, end, shot.fixed_rest)
            for row, (body, shot) in enumerate(zip(self._job.bodies, self._shots, strict=True))
        }
        for group in self._groups:
            impulses += group.advance(seconds, gravity, motions, targets)
        colliders.advance(end, seconds, impulses)


def _limit_warning(job: Job, frame: int) -> str:
    """Return a warning that the limit of small steps is reached in a frame, counted from the job's first frame."""
    names = ", ".join(f"'{body.name}'" for body in job.bodies)
    return (
        f"{names}: frame {job.frame_start + frame} reached the limit of small steps; later steps are longer and do "
        "not resolve vibrations; raise the softening, lower the detail, or move overlapping bodies apart"
    )
