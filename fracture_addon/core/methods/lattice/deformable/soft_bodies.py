"""Simulate deformable bodies as lattices for the whole shot (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ....data.errors import SettingsError
from ....data.grip import Grip
from ....data.impact import Impact
from ....data.job import Body as JobBody
from ....data.job import Bond, Collider, Glue
from ....data.motion import Motion
from ....geometry.inspection import is_flat
from ...joint_ties import ties_of
from ...pushes import no_pushes
from ...rigid_joints import RigidJoints
from ...snapshots import prefixed, with_prefix
from ...whole_shot import Colliders, fixed_points
from .. import advance as dynamics
from ..cells.thin_bodies import ThinSolid
from ..cells.thresholds import softened
from ..colliders import OBSTACLE_SHARE, ColliderObstacle, distances_outside
from ..contact.contact_points import ContactPoints, nodes_as_points, on_surface, with_sheets
from ..contact.joint_obstacle import JointObstacle
from ..contact.node_ties import NodeTies, TiedNodes, node_ties
from ..crack_tips import CrackTips
from ..fragment_labels import label_cells
from ..impactor import ActiveImpact, impact_weights, start_impact
from ..integrators import INTEGRATORS, Integrator
from ..model import MOVED_MASS_SHARE, BodyModel, Model, model_of
from ..operators.joining import join
from ..state import Contacts, State

# Fields of ``State`` that follow from the settings, which may differ when a run resumes, or that kernels overwrite.
UNSAVED_FIELDS = ("stiffness", "damping", "limits", "scratch")


class SoftBodies:
    """Deformable bodies with contact, glue, impacts and external forces.

    Args:
        bodies: One lattice for each body.
        jobs: The same bodies in the job.
        glues: Glue between the bodies.
        grips: Grips, which hold the nodes in their spheres.
        colliders: Objects that push the bodies out or are joined to them; ``None`` for none.
        bonds: Joints between the bodies.

    Raises:
        SettingsError: A setting is out of range.
        InvalidMeshError: A collider has no interior.
    """

    def __init__(
        self,
        bodies: Sequence[BodyModel],
        jobs: Sequence[JobBody],
        glues: Sequence[Glue] = (),
        grips: Sequence[Grip] = (),
        colliders: Colliders | None = None,
        bonds: Sequence[Bond] = (),
    ):
        self._bodies, self._jobs = bodies, jobs
        self._integrator = _integrator_of(jobs)
        self._joined = join([body.model.lattice for body in bodies], glues)
        self._model, self._tips = self._joined_model(grips)
        self._state = self._initial_state()
        self._impacts: list[ActiveImpact] = []
        self._points, self._slack = self._contact_points()
        # Whether each contact point belongs to a sheet; factor on the number of steps while each obstacle touches one.
        self._in_sheet: np.ndarray = np.all(np.isin(self._points[False].corners, self._quads()), axis=1)
        self._sharpness: list[int] = []
        self._obstacles: list[ColliderObstacle] = []
        # Largest stiffness at each node (N,), N/m: that of an obstacle.
        self._stiffest = OBSTACLE_SHARE * (2.0 / self._model.largest_step) ** 2 * self._model.masses
        self._ties = self._tied_nodes(bonds) if bonds else None
        self._joints: JointObstacle | None = None
        if colliders is not None:
            self.add_colliders(colliders.colliders, colliders.centers)
            self._joints = self._rigid_joints(colliders)

    def _joined_model(self, grips: Sequence[Grip]) -> tuple[Model, CrackTips]:
        """Return the model of all bodies and their glue, and its crack tips."""
        bodies, jobs, lattice = self._bodies, self._jobs, self._joined.lattice
        fixed = np.zeros(lattice.node_count, bool)
        density, modulus = np.zeros(lattice.node_count), np.full(lattice.bond_count, np.inf)
        thresholds, yield_stretch = np.full((2, lattice.bond_count), np.inf)
        creep_rate, damping_time, spacings, passages = np.zeros((4, lattice.bond_count))
        tip_shares, owners = np.ones(lattice.bond_count), np.full(lattice.bond_count, -1)
        self_collision = np.zeros(lattice.node_count, bool)
        for row, (body, job) in enumerate(zip(bodies, jobs, strict=True)):
            softening, material = job.settings.motion.softening, job.material
            nodes, bonds = self._joined.nodes[row], self._joined.bonds[row]
            kept = bonds >= 0
            density[nodes] = material.density
            self_collision[nodes] = job.settings.lattice.self_collision
            modulus[bonds[kept]] = material.young_modulus / softening
            # The damping ratio stays: vibrations are slower by the square root of the softening.
            damping_time[bonds[kept]] = material.damping_time * np.sqrt(softening)
            thresholds[bonds[kept]] = job.settings.motion.threshold * softened(body.model.thresholds[kept], softening)
            tip_shares[bonds[kept]], owners[bonds[kept]] = body.tip_shares[kept], row
            spacings[bonds[kept]] = body.spacing
            if not isinstance(body.solid, ThinSolid):
                # With it, shells of one cell crumble altogether (docs/decisions/lattice_crack_tips.md).
                passages[bonds[kept]] = body.spacing / body.wave_speed * np.sqrt(softening)
            if job.settings.lattice.creep > 0.0:
                yield_stretch[bonds[kept]] = job.settings.lattice.yield_share * thresholds[bonds[kept]]
                creep_rate[bonds[kept]] = job.settings.lattice.creep
            fixed[nodes] |= fixed_points(job, grips, body.model.lattice.points)
        for bonds, glue in self._joined.glued:
            both = [(bodies[row].model.thresholds, jobs[row]) for row in (glue.first, glue.second)]
            weaker = min(
                job.settings.motion.threshold * softened(float(np.median(bare)), job.settings.motion.softening)
                for bare, job in both
            )
            softer = min(job.material.young_modulus / job.settings.motion.softening for _, job in both)
            modulus[bonds] = np.where(np.isinf(modulus[bonds]), softer, modulus[bonds])
            thresholds[bonds] = glue.strength * weaker
            passages[bonds] = 0.0
        model = model_of(
            lattice,
            density,
            modulus,
            thresholds=thresholds,
            damping_time=damping_time,
            fixed=fixed,
            contact_friction=float(np.mean([job.material.friction for job in jobs])),
            self_collision=self_collision,
            yield_stretch=yield_stretch if creep_rate.any() else np.inf,
            creep_rate=creep_rate,
            moved_mass_share=MOVED_MASS_SHARE,
        )
        return model, CrackTips(model, tip_shares, spacings, passages, owners)

    def _initial_state(self) -> State:
        """Return the state in which each body moves as the job says, and fixed nodes rest."""
        model, state = self._model, dynamics.initial_state(self._model)
        for nodes, job in zip(self._joined.nodes, self._jobs, strict=True):
            points = model.lattice.points[nodes]
            arms = points - np.average(points, axis=0, weights=model.masses[nodes])
            state.velocities[nodes] = job.velocity + np.cross(job.angular_velocity, arms)
        state.velocities[model.fixed] = 0.0
        return state

    def _contact_points(self) -> tuple[dict[bool, ContactPoints], dict[bool, np.ndarray]]:
        """Return the points that touch colliders, and the depth (P,) m to which each may sink in.

        Both are given for flat colliders (true) and for others (false).
        """
        slack, in_middle = np.zeros((2, self._model.lattice.node_count))
        points = own_nodes = nodes_as_points(self._model.masses)
        for row, (body, job) in enumerate(zip(self._bodies, self._jobs, strict=True)):
            rows = self._joined.nodes[row]
            own = body.model.lattice.points
            if not isinstance(body.solid, ThinSolid):
                owners = self._joined.cells[row][body.owners]
                points = on_surface(points, job.surface, own, rows, body.corners, owners)
                slack[rows] = distances_outside(job.surface, own)
            elif body.solid.thin.resists_bending:
                slack[rows] = distances_outside(job.surface, own)
            else:
                in_middle[rows] = -0.5 * body.solid.thin.thickness
        # Against planes nodes may sink in by their distance from the surface. A shape may be smaller than that.
        quads = self._quads()
        of_kind = {True: with_sheets(own_nodes, quads), False: with_sheets(points, quads)}
        return of_kind, {flat: item.of(in_middle + slack * flat) for flat, item in of_kind.items()}

    def add_colliders(self, colliders: Sequence[Collider], centers: Sequence[np.ndarray]) -> None:
        """Add objects that push the bodies out, with the reference point (3,) m of each in rest space."""
        for collider, center in zip(colliders, centers, strict=True):
            flat = is_flat(collider.surface.points)
            touching = self._slack[flat], self._points[flat]
            self._obstacles.append(ColliderObstacle(collider, center, self._model, self._jobs, *touching))
        self._pad_sharpness()

    def _tied_nodes(self, bonds: Sequence[Bond]) -> TiedNodes:
        """Return the joints between the bodies."""
        ties = []
        for bond in bonds:
            (first, job, nodes), (second, other, more) = (
                (self._bodies[row], self._jobs[row], self._joined.nodes[row]) for row in (bond.first, bond.second)
            )
            ties.append(node_ties(bond, (first, second), (job, other), (nodes, more)))
        return TiedNodes(NodeTies(*map(np.concatenate, zip(*ties, strict=True))), self._stiffest)

    def _rigid_joints(self, colliders: Colliders) -> JointObstacle | None:
        """Return the joints of the bodies with rigid ones; ``None`` without any."""
        rate, ties = OBSTACLE_SHARE * (2.0 / self._model.largest_step) ** 2, []
        for joint in colliders.joints:
            body, job, nodes = self._bodies[joint.row], self._jobs[joint.row], self._joined.nodes[joint.row]
            modulus = job.material.young_modulus / job.settings.motion.softening
            rest, largest = body.model.lattice.points, self._stiffest[nodes]
            found = ties_of(joint, job, rest, body.spacing, modulus, largest)
            ties.append(found._replace(nodes=nodes[found.nodes]))
        return JointObstacle(RigidJoints(ties, colliders, rate)) if ties else None

    @property
    def _held(self) -> dict[str, RigidJoints | TiedNodes]:
        """Joints that are stored in checkpoints, by their names there."""
        joints = None if self._joints is None else self._joints.joints
        return {name: item for name, item in (("joints", joints), ("ties", self._ties)) if item is not None}

    def _pad_sharpness(self) -> None:
        self._sharpness += [1] * (len(self._obstacles) - len(self._sharpness))

    @property
    def collider_count(self) -> int:
        """Number of objects that push the bodies out."""
        return len(self._obstacles)

    def _quads(self) -> np.ndarray:
        """Collect the (K, 4) nodes of the quads of all sheets."""
        quads = [np.empty((0, 4), np.int64)]
        for body, nodes in zip(self._bodies, self._joined.nodes, strict=True):
            if isinstance(body.solid, ThinSolid) and body.solid.is_membrane:
                quads.append(nodes[body.solid.thin.cells])
        return np.concatenate(quads)

    def start(self, motions: Sequence[Motion | None]) -> None:
        """Allow nodes to start inside colliders by up to the smallest spacing.

        Args:
            motions: Initial motion of each collider; ``None`` for an absent one.
        """
        depth = min(body.spacing for body in self._bodies)
        for row, motion, _ in self._near(motions, 0.0):
            self._obstacles[row].allow_initial_overlap(motion, depth)

    def _near(self, motions: Sequence[Motion | None], seconds: float) -> Iterator[tuple[int, Motion, np.ndarray]]:
        """Yield each obstacle that may touch the bodies within ``seconds``: its row, its motion and the touched points.

        The distance field of a far collider is therefore never computed.
        """
        places: dict[bool, np.ndarray] = {}
        for row, (item, motion) in enumerate(zip(self._obstacles, motions, strict=True)):
            if motion is None:
                continue
            if item.is_flat not in places:
                places[item.is_flat] = self._points[item.is_flat].of(self._state.positions)
            rows = item.touching(motion, self._state, places[item.is_flat], seconds)
            if len(rows):
                yield row, motion, rows

    @property
    def masses(self) -> np.ndarray:
        """Masses (N,) of all nodes, kg."""
        return self._model.masses

    def node_rows(self, body: int) -> np.ndarray:
        """Return the rows of a body's nodes among all nodes."""
        return self._joined.nodes[body]

    def nodes(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (N, 3) m and velocities (N, 3) m/s of a body's nodes, in the order of its own lattice."""
        rows = self._joined.nodes[body]
        return self._state.positions[rows], self._state.velocities[rows]

    def intact_cells(self, body: int) -> np.ndarray:
        """Return (K,) bool, cells of a body's lattice without a broken bond."""
        return self._state.valid[self._joined.cells[body]]

    def isolated_nodes(self, body: int) -> np.ndarray:
        """Return (N,) bool, a body's nodes without an unbroken bond."""
        bonded = np.zeros(self._model.lattice.node_count, bool)
        bonded[self._model.lattice.bonds[self._state.alive]] = True
        return ~bonded[self._joined.nodes[body]]

    def labels(self, body: int) -> np.ndarray:
        """Return (C,) the fragment of each cell of a body's solid; -1 for debris."""
        settings = self._jobs[body].settings
        dust = settings.pieces.dust_rule
        return label_cells(self._bodies[body], self.intact_cells(body), dust.merges, settings.seed, crushed=dust.flies)

    def stretch(self, body: int) -> float:
        """Return the largest length over rest length of a body's unbroken bonds; 1 without bonds.

        Args:
            body: Row of the body.

        Returns:
            Dimensionless. A run ends above ``whole_shot.MOST_STRETCH``.

        Notes:
            Own.

        Example:
            All corners are pinned, and move to twice their distance.

            >>> from ....data.material import PORCELAIN
            >>> from ....data.placed_fields import PaintedField
            >>> from ....data.settings.settings import Settings
            >>> from ....data.solid import from_cells
            >>> from ....data.surface import Surface
            >>> from ..model import build
            >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
            >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
            >>> pins = PaintedField(corners, surface.faces, np.ones(4))
            >>> job = JobBody("block", surface, PORCELAIN, Settings.of(softening=1e4, pinned=pins))
            >>> body = build(from_cells(corners, [[0, 1, 2, 3]], []), PORCELAIN, job.settings)
            >>> soft = SoftBodies([body], [job])
            >>> soft.move_fixed_nodes(0, 2.0 * soft.nodes(0)[0])
            >>> soft.stretch(0)
            2.0
        """
        rows = self._joined.bonds[body]
        rows = rows[rows >= 0]
        rows = rows[self._state.alive[rows]]
        first, second = self._model.lattice.bonds[rows].T
        lengths = np.linalg.norm(self._state.positions[second] - self._state.positions[first], axis=1)
        return float(np.max(lengths / self._model.lattice.rest_lengths[rows], initial=1.0))

    def move_fixed_nodes(self, body: int, positions: np.ndarray) -> None:
        """Move the fixed nodes of a body to their rows of (N, 3) ``positions``, m."""
        nodes = self._joined.nodes[body]
        fixed = self._model.fixed[nodes]
        self._state.positions[nodes[fixed]] = positions[fixed]

    def add_impact(self, body: int, impact: Impact, pulse: float) -> None:
        """Start an impact on a body.

        Args:
            body: Row of the body.
            impact: In present world coordinates. The force rises to its peak force and falls again.
            pulse: s, duration.
        """
        nodes = self._joined.nodes[body]
        self._impacts.append(start_impact(self._bodies[body], body, nodes, self._state, impact, pulse))

    @property
    def under_impact(self) -> bool:
        """Whether an impact is still pushing."""
        return bool(self._impacts)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copy all data that vary and do not follow from the settings; see ``restore``."""
        state = self._state
        values = {item.name: getattr(state, item.name) for item in fields(State) if item.name not in UNSAVED_FIELDS}
        contacts = values.pop("contacts")
        values |= {"pairs": contacts.pairs, "reference": contacts.reference, "time": np.array(state.time)}
        values["sharpness"] = np.array(self._sharpness, int)
        for prefix, item in self._held.items():
            values |= prefixed(prefix, item.snapshot())
        return {name: np.array(value) for name, value in values.items()}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Resume from a ``snapshot`` with the present settings."""
        values: dict[str, Any] = {name: value.copy() for name, value in snapshot.items()}
        for prefix, item in self._held.items():
            own = with_prefix(prefix, snapshot)
            item.restore(own)
            values = {name: value for name, value in values.items() if name not in prefixed(prefix, own)}
        self._sharpness = values.pop("sharpness", np.empty(0, int)).tolist()
        self._pad_sharpness()
        contacts = Contacts(values.pop("pairs"), values.pop("reference"))
        alive, model = values["alive"], self._model
        stiffness, damping = (np.where(alive, sound, 0.0) for sound in (model.stiffness, model.damping))
        thresholds = model.thresholds * values["threshold_factors"]
        limits = np.where(alive, values["rest_lengths"] * (1.0 + thresholds), np.inf)
        unsaved = {"stiffness": stiffness, "damping": damping, "limits": limits, "scratch": self._state.scratch}
        self._state = State(**(values | unsaved | {"contacts": contacts, "time": float(values["time"])}))
        self._state.velocities[self._model.fixed] = 0.0
        self._tips.restart()

    def advance(
        self,
        seconds: float,
        gravity: np.ndarray,
        stiffness: Sequence[float],
        motions: Sequence[Motion | None],
        node_forces: np.ndarray | None = None,
    ) -> np.ndarray:
        """Advance all bodies, and break overloaded bonds.

        Args:
            seconds: Time to advance.
            gravity: (3,) m/s2.
            stiffness: Factor of each body's stiffness.
            motions: Motion of each collider; ``None`` for an absent one.
            node_forces: (N, 3) N on all nodes; ``None`` for none.

        Returns:
            (K, COLUMNS) sum of the impulses on each collider; see ``pushes``.

        Notes:
            Norton et al. 1991, figures 5 and 6: gravity and stiffness vary from call to call.

        Example:
            A soft block falls freely for 0.1 s.

            >>> from ....data.material import PORCELAIN
            >>> from ....data.settings.settings import Settings
            >>> from ....data.solid import from_cells
            >>> from ....data.surface import Surface
            >>> from ..model import build
            >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
            >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
            >>> job = JobBody("block", surface, PORCELAIN, Settings.of(softening=1e4))
            >>> body = build(from_cells(corners, [[0, 1, 2, 3]], []), PORCELAIN, job.settings)
            >>> soft = SoftBodies([body], [job])
            >>> impulses = soft.advance(0.1, np.array([0.0, 0.0, -10.0]), [1.0], [])
            >>> soft.nodes(0)[1][:, 2].round(6).tolist()
            [-1.0, -1.0, -1.0, -1.0]
        """
        scale: float | np.ndarray = 1.0
        if any(factor != 1.0 for factor in stiffness):
            scale = np.ones(self._model.lattice.bond_count)
            for bonds, factor in zip(self._joined.bonds, stiffness, strict=True):
                scale[bonds[bonds >= 0]] = factor
        # The factor does not soften obstacles, so the step stays that of the full stiffness.
        longest = dynamics.checked_step(self._model, None, np.maximum(scale, 1.0))
        longest *= self._integrator.step_share(self._model.damping_ratio)
        count = max(int(np.ceil(seconds / longest)), 1)
        self._points[False] = self._points[False].without(~self._state.valid)
        near, sharpest = {}, 1
        for row, motion, rows in self._near(motions, seconds):
            item = self._obstacles[row]
            points, found = self._points[item.is_flat], 1
            if not item.is_flat and self._in_sheet[rows].any():
                places = points.of(self._state.positions)
                found = item.sharpness(motion, self._state, places, rows) or self._sharpness[row]
            self._sharpness[row] = found
            sharpest = max(sharpest, found)
            near[row] = item.at(motion, points, rows, found)
        count *= sharpest
        obstacles: list[dynamics.Obstacle] = list(near.values())
        if self._ties is not None:
            obstacles.append(self._ties)
        if self._joints is not None:
            self._joints.joints.begin(motions, gravity, seconds)
            obstacles.append(self._joints)
        surroundings = dynamics.Surroundings(gravity, obstacles, node_forces, scale)
        step = seconds / count
        count -= self._step_with_impacts(surroundings, step, count)
        dynamics.run(self._model, self._state, surroundings, step, count, self._integrator, self._tips)
        impulses = no_pushes(len(motions))
        for row, obstacle in near.items():
            impulses[row] = obstacle.impulses
        if self._joints is not None:
            impulses += self._joints.joints.impulses
        return impulses

    def _step_with_impacts(self, surroundings: dynamics.Surroundings, step: float, count: int) -> int:
        """Take up to ``count`` steps while impacts are active, and return how many."""
        state, nodes = self._state, self._joined.nodes
        forces = np.zeros_like(state.positions)
        # Surroundings keep a read-only view of the forces, which change in each step.
        loaded = replace(surroundings, node_forces=forces)
        taken = 0
        while self._impacts and taken < count:
            forces[:] = 0.0 if surroundings.node_forces is None else surroundings.node_forces
            for active in self._impacts:
                forces[nodes[active.row]] += active.impactor.force * active.impactor.weights
            before = state.positions.copy()
            broken = dynamics.run(self._model, state, loaded, step, 1, self._integrator, self._tips)
            for active in self._impacts:
                rows, impactor = nodes[active.row], active.impactor
                impactor.advance((state.positions - before)[rows], step)
                if broken:
                    impactor.weights = impact_weights(self._bodies[active.row], rows, state, impactor.impacts)
            self._impacts = [active for active in self._impacts if state.time < active.until]
            taken += 1
        return taken


def _integrator_of(jobs: Sequence[JobBody]) -> Integrator:
    """Return the integrator of bodies that move together.

    Raises:
        SettingsError: Two bodies have different ones.
    """
    found = {job.settings.lattice.integrator: job.name for job in jobs}
    if len(found) > 1:
        names = " and ".join(f"'{name}'" for name in found.values())
        raise SettingsError(f"{names} have different integrators, but move together; choose one Integrator for both")
    return INTEGRATORS[next(iter(found))]
