"""Time steps that bodies take together, because they are glued or joined; others take their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import block_diag, csr_array, kron

from ....data.motion import Motion
from ...pushes import no_pushes
from ...rigid_joints import RigidJoints
from ..implicit import Equations, reactions, solve
from .pace import CALM
from .rigid_equations import RigidEquations
from .shot import Shot
from .ties import Ties


class Together:
    """Bodies that take the same time steps, and the glue between them.

    Args:
        shots: The bodies by their rows.
        glue: Glue between them.
        joints: Their joints with rigid bodies; ``None`` for none.

    Notes:
        Own (docs/decisions/element_glue.md).

    Example:
        A tetrahedron falls for 0.1 s.

        >>> from ....data.job import Body, Settings
        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ....data.surface import Surface
        >>> from ..model import build
        >>> corners = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> body = Body("block", surface, PORCELAIN, Settings.of(method="fem", dynamics="deformable"))
        >>> model = build(from_cells(corners, [[0, 1, 2, 3]], []), PORCELAIN, body.settings)
        >>> shot = Shot(model, body, (), ())
        >>> impulses = Together({0: shot}).advance(0.1, np.array([0.0, 0.0, -10.0]), (), {})
        >>> shot.mesh.velocity[:, 2].round(6).tolist()
        [-1.0, -1.0, -1.0, -1.0]
    """

    def __init__(self, shots: Mapping[int, Shot], glue: Sequence[Ties] = (), joints: RigidJoints | None = None):
        self._shots, self._glue, self.joints = shots, glue, joints
        self._sizes = self._element_counts()

    def advance(
        self,
        seconds: float,
        gravity: np.ndarray,
        motions: Sequence[Motion | None],
        fixed_targets: Mapping[int, np.ndarray | None],
    ) -> np.ndarray:
        """Advance the bodies in time.

        Args:
            seconds: Time to advance, s.
            gravity: (3,) m/s2.
            motions: Pose and velocities of each collider now; ``None`` for an absent collider.
            fixed_targets: (F, 3) m, positions of the fixed nodes of each body at the end; without any they rest.

        Returns:
            (K, COLUMNS) sum of the impulses on each collider; see ``pushes``.

        Raises:
            SolverDivergedError: Positions of nodes are not finite.
        """
        shots, done = list(self._shots.values()), 0.0
        for row, shot in self._shots.items():
            shot.begin(seconds, motions, fixed_targets.get(row))
        if self.joints is not None:
            self.joints.begin(motions, gravity, seconds)
        while done < (1.0 - 1e-9) * seconds:
            left = seconds - done
            for shot in shots:
                shot.begin_step(left, gravity)
            hurried = any(shot.is_hurried for shot in shots)
            step = left if hurried else min(shot.implicit_seconds(left) for shot in shots)
            # Each body notes whether it is hit.
            if hurried or all([shot.takes_long_step(step, gravity) for shot in shots]):
                self._implicit_step(step, gravity)
            else:
                step = self._explicit_steps(left, gravity)
            done += step
            for shot in shots:
                shot.end_step(step)
            self._check()
        for shot in shots:
            shot.check_finite()
        own = no_pushes(len(motions)) if self.joints is None else self.joints.impulses
        return sum((shot.impulses for shot in shots), own)

    @property
    def _holding(self) -> RigidJoints | None:
        """The joints with rigid bodies; ``None`` after all of them have broken."""
        return self.joints if self.joints is not None and self.joints.count else None

    def restore(self) -> None:
        """Continue after the bodies and the ties have been restored."""
        self._sizes = self._element_counts()

    def _explicit_steps(self, seconds: float, gravity: np.ndarray) -> float:
        """Take explicit steps up to the next check; return the time they take, at most about ``seconds``."""
        shots = self._shots.values()
        step = min(shot.step for shot in shots)
        count = min(min(shot.steps_per_check for shot in shots), max(1, round(seconds / step)))
        near = [shot.begin_steps(count, gravity) for shot in shots]
        joints = self._holding
        if not self._glue and joints is None:
            for shot, is_near in zip(shots, near, strict=True):
                for _ in range(count if is_near else 1):
                    shot.take_steps(1 if is_near else count)
            return count * step
        for _ in range(count):
            loads = {row: np.zeros_like(shot.mesh.position) for row, shot in self._shots.items()}
            for ties in self._glue:
                ties.add_forces(loads)
            if joints is not None:
                joints.start_step()
                joints.add_forces({row: shot.mesh.position for row, shot in self._shots.items()}, loads)
            for row, shot in self._shots.items():
                shot.take_steps(1, loads[row])
            if joints is not None and joints.finish_step(step):
                self._watch_waves()
        return count * step

    def _implicit_step(self, seconds: float, gravity: np.ndarray) -> None:
        """Take one semi-implicit step."""
        shots = list(self._shots.values())
        found = [shot.equations(seconds, gravity) for shot in shots]
        joints = self._holding
        joined = self._joined(found, seconds)
        ends = np.cumsum([len(item.held) for item in found])
        is_held = bool(joined.held.any())
        if joints is not None:
            rigid = RigidEquations(joints, dict(zip(self._shots, [0, *ends[:-1].tolist()], strict=True)))
            joined = rigid.added_to(joined, self._places(found, seconds), seconds)
            is_held = is_held or rigid.holds
        change = solve(joined)
        if joints is not None and rigid.finish(change, seconds):
            self._watch_waves()
        each = zip(shots, found, np.split(change, ends), np.split(reactions(joined, change), ends), strict=False)
        for (row, shot), (_, equations, own, reaction) in zip(self._shots.items(), each, strict=True):
            supported = self._tied(row, len(own)) if is_held else None
            shot.finish(equations, own, reaction, gravity, seconds, supported)

    def _places(self, found: Sequence[Equations], seconds: float) -> np.ndarray:
        """Return where the nodes (N, 3) of all bodies would be after a step without changes of velocity, m."""
        relative = np.concatenate([item.relative for item in found])
        return np.concatenate([shot.mesh.position for shot in self._shots.values()]) + seconds * relative

    def _joined(self, found: Sequence[Equations], seconds: float) -> Equations:
        """Return the equations of all bodies with those of the ties."""
        if len(found) == 1:
            return found[0]
        system = block_diag([item.system for item in found], format="csr")
        diagonal, right, relative, held, prescribed = (
            np.concatenate([getattr(item, name) for item in found]) for name in Equations._fields[1:]
        )
        counts = np.cumsum([0, *(len(item.held) for item in found)])
        starts = dict(zip(self._shots, counts[:-1].tolist(), strict=True))
        place = self._places(found, seconds)
        for ties in self._glue:
            stiffness = ties.stiffness(starts, len(place))
            system = system + seconds**2 * kron(stiffness, np.eye(3), format="csr")
            diagonal = diagonal + seconds**2 * stiffness.diagonal()[:, None, None] * np.eye(3)
            right = right - seconds * (stiffness @ place)
        return Equations(csr_array(system), diagonal, right, relative, held, prescribed)

    def _tied(self, row: int, count: int) -> np.ndarray:
        """Return (N,) bool, the nodes of a body that ties hold."""
        result = np.zeros(count, bool)
        for ties in self._glue:
            result[ties.nodes(row)] = True
        if self.joints is not None:
            result[self.joints.nodes(row)] = True
        return result

    def _check(self) -> None:
        """Follow cracks with the ties, and break ties."""
        sizes = self._element_counts()
        if sizes != self._sizes:
            self._sizes = sizes
            for ties in self._glue:
                ties.find()
        for ties in self._glue:
            if ties.check() or ties.ratio > CALM:
                for row in ties.rows:
                    self._shots[row].watch_waves()
        if self.joints is not None:
            self.joints.without({row: shot.mesh.mass == 0.0 for row, shot in self._shots.items()})
            if self.joints.ratio > CALM:
                self._watch_waves()

    def _watch_waves(self) -> None:
        """Take small steps while waves cross the bodies that a joint with a rigid body may shake."""
        for shot in self._shots.values():
            shot.watch_waves()

    def _element_counts(self) -> list[tuple[int, int]]:
        return [(shot.mesh.node_count, shot.mesh.element_count) for shot in self._shots.values()]
