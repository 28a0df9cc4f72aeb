"""Bodies that stay lattices for the whole shot: they flex, sag, swing and break (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from ...data.errors import SettingsError
from ...data.impact import Impact
from ...data.job import Body as JobBody
from ...data.job import Collider, Glue
from ...fields.painting import weights_at
from . import advance as dynamics
from .body import Body
from .cells.thin_bodies import ThinSolid
from .cells.thresholds import softened
from .colliders import Motion, Placed, off_surface
from .contact.collisions import Contacts
from .contact.samples import samples_of
from .labels import label_cells
from .operators.joining import join
from .state import State, model_of
from .striker import Blow, blow_on, weights_on

# A stiffness that falls to nothing would leave nothing to hold the body together.
SOFTEST = 1e-4
# Damping of the fastest vibration over its critical damping.
DAMPING_RATIO = 0.1
# What follows from the settings, and may be others when a run goes on.
OF_THE_SETTINGS = ("stiffness", "damping", "limits")


class SoftBodies:
    """Deformable bodies that touch, glue and wind hold or push.

    Args:
        bodies: Lattices, one a body of the job.
        jobs: The same bodies as the job has them.
        colliders: What they cannot enter.
        centers: (K, 3) m, each collider's point of reference in rest space.
        glues: Between the bodies.

    Raises:
        SettingsError: A setting makes no sense.
        InvalidMeshError: A collider has no inside.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        jobs: Sequence[JobBody],
        colliders: Sequence[Collider],
        centers: np.ndarray,
        glues: Sequence[Glue],
    ):
        for job in jobs:
            if not 1.0 <= job.settings.softening <= 1e6:
                raise SettingsError(f"'{job.name}' is softened {job.settings.softening:g} times; use 1 to 1000000")
        self._bodies, self._jobs = bodies, jobs
        self._joined = join([body.model.lattice for body in bodies], glues)
        lattice = self._joined.lattice
        self._fixed = np.zeros(lattice.node_count, bool)
        density, modulus = np.zeros(lattice.node_count), np.full(lattice.bond_count, np.inf)
        thresholds, yielding = np.full((2, lattice.bond_count), np.inf)
        creeping = np.zeros(lattice.bond_count)
        touching = np.zeros(lattice.node_count, bool)
        for row, (body, job) in enumerate(zip(bodies, jobs, strict=True)):
            softening, material = job.settings.softening, job.material
            nodes, bonds = self._joined.nodes[row], self._joined.bonds[row]
            held = bonds >= 0
            density[nodes] = material.density
            touching[nodes] = job.settings.self_collision
            modulus[bonds[held]] = material.young_modulus / softening
            thresholds[bonds[held]] = job.settings.threshold * softened(body.model.thresholds[held], softening)
            if job.settings.creep > 0.0:
                yielding[bonds[held]] = job.settings.yield_share * thresholds[bonds[held]]
                creeping[bonds[held]] = job.settings.creep
            if job.settings.pinned is not None:
                self._fixed[nodes] |= weights_at(job.settings.pinned, body.model.lattice.points) > 0.5
            elif job.track is not None:
                self._fixed[nodes] = True
        for bonds, glue in self._joined.glued:
            both = [(bodies[row].model.thresholds, jobs[row]) for row in (glue.first, glue.second)]
            weaker = min(
                job.settings.threshold * softened(np.median(bare), job.settings.softening) for bare, job in both
            )
            softer = min(job.material.young_modulus / job.settings.softening for _, job in both)
            modulus[bonds] = np.where(np.isinf(modulus[bonds]), softer, modulus[bonds])
            thresholds[bonds] = glue.strength * weaker
        self._model = model_of(
            lattice,
            density,
            modulus,
            thresholds=thresholds,
            damping_ratio=DAMPING_RATIO,
            fixed=self._fixed,
            contact_friction=float(np.mean([job.material.friction for job in jobs])),
            self_collision=touching,
            yield_stretch=yielding if creeping.any() else np.inf,
            creep_rate=creeping,
            evened=0.02,
        )
        self._state = dynamics.initial_state(self._model)
        for row, job in enumerate(jobs):
            nodes = self._joined.nodes[row]
            arms = lattice.points[nodes] - np.average(lattice.points[nodes], axis=0, weights=self._model.masses[nodes])
            self._state.velocities[nodes] = job.velocity + np.cross(job.angular_velocity, arms)
        self._state.velocities[self._fixed] = 0.0
        self._blows: list[Blow] = []
        slack = np.zeros(lattice.node_count)
        for row, job in enumerate(jobs):
            nodes = self._joined.nodes[row]
            slack[nodes] = off_surface(job.surface, lattice.points[nodes])
        samples = samples_of(self._quads(), self._model.masses)
        around = (self._model, jobs, slack, samples)
        self._obstacles = [Placed(*item, *around) for item in zip(colliders, centers, strict=True)]

    def _quads(self) -> np.ndarray:
        """(K, 4) nodes of the quads of all sheets."""
        found = [np.empty((0, 4), np.int64)]
        for body, nodes in zip(self._bodies, self._joined.nodes, strict=True):
            if isinstance(body.solid, ThinSolid) and body.solid.thin.kind == "sheet":
                found.append(nodes[body.solid.thin.cells])
        return np.concatenate(found)

    def begin(self, motions: Sequence[Motion | None]) -> None:
        """Take colliders as they are at the start: one a collider, ``None`` for one that is not there."""
        most = min(body.spacing for body in self._bodies)
        for item, motion in zip(self._obstacles, motions, strict=True):
            if motion is not None and item.may_touch(motion, self._state, 0.0):
                item.forgive(motion, most)

    @property
    def masses(self) -> np.ndarray:
        """(N,) kg, of all nodes."""
        return self._model.masses

    def rows(self, body: int) -> np.ndarray:
        """Rows of all nodes that are a body's."""
        return self._joined.nodes[body]

    def nodes(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """(N, 3) m and (N, 3) m/s of a body's nodes, as its own lattice numbers them."""
        rows = self._joined.nodes[body]
        return self._state.positions[rows], self._state.velocities[rows]

    def whole(self, body: int) -> np.ndarray:
        """(K,) bool, cells of a body's lattice none of whose bonds broke."""
        return self._state.valid[self._joined.cells[body]]

    def alone(self, body: int) -> np.ndarray:
        """(N,) bool, a body's nodes none of whose bonds holds."""
        held = np.zeros(self._model.lattice.node_count, bool)
        held[self._model.lattice.bonds[self._state.alive]] = True
        return ~held[self._joined.nodes[body]]

    def labels(self, body: int) -> np.ndarray:
        """(C,) what each cell of a body's solid hangs together with; -1 for debris."""
        settings = self._jobs[body].settings
        merge, crushed = settings.dust == "merge", settings.dust == "debris"
        return label_cells(self._bodies[body], self.whole(body), merge, settings.seed, crushed=crushed)

    def carry(self, body: int, positions: np.ndarray) -> None:
        """Put what is fixed of a held body's nodes where it is to be, at (N, 3) positions."""
        nodes = self._joined.nodes[body]
        fixed = self._fixed[nodes]
        self._state.positions[nodes[fixed]] = positions[fixed]

    def strike(self, body: int, impact: Impact, pulse: float) -> None:
        """Begin a blow: half a swing of so many seconds with the impact's peak force, in the world as it is."""
        nodes = self._joined.nodes[body]
        self._blows.append(blow_on(self._bodies[body], body, nodes, self._state, impact, pulse))

    @property
    def struck(self) -> bool:
        """Whether a blow is going on."""
        return bool(self._blows)

    def taken_down(self) -> dict[str, np.ndarray]:
        """Everything that varies."""
        state = self._state
        values = {item.name: getattr(state, item.name) for item in fields(State) if item.name not in OF_THE_SETTINGS}
        contacts = values.pop("contacts")
        values |= {"pairs": contacts.pairs, "reference": contacts.reference, "time": np.array(state.time)}
        return {name: np.array(value) for name, value in values.items()}

    def put_back(self, values: Mapping[str, np.ndarray]) -> None:
        """Go on from what ``taken_down`` gave, with the settings of now."""
        values = {name: value.copy() for name, value in values.items()}
        contacts = Contacts(values.pop("pairs"), values.pop("reference"))
        alive, model = values["alive"], self._model
        stiffness, damping = (np.where(alive, of_all, 0.0) for of_all in (model.stiffness, model.damping))
        limits = np.where(alive, values["rest_lengths"] * (1.0 + model.thresholds), np.inf)
        settings = {"stiffness": stiffness, "damping": damping, "limits": limits}
        self._state = State(**(values | settings | {"contacts": contacts, "time": float(values["time"])}))
        self._state.velocities[self._fixed] = 0.0

    def advance(
        self,
        seconds: float,
        gravity: np.ndarray,
        stiffness: Sequence[float],
        motions: Sequence[Motion | None],
        pushes: np.ndarray | None = None,
    ) -> np.ndarray:
        """Go on, breaking what breaks.

        Args:
            seconds: How far.
            gravity: (3,) m/s2.
            stiffness: Scale of each body's stiffness.
            motions: One a collider; ``None`` for one that is not there.
            pushes: (N, 3) N on all nodes, or nothing.

        Returns:
            (K, 3) N s that each collider gave the bodies.
        """
        scale: float | np.ndarray = 1.0
        if any(factor != 1.0 for factor in stiffness):
            scale = np.ones(self._model.lattice.bond_count)
            for bonds, factor in zip(self._joined.bonds, stiffness, strict=True):
                scale[bonds[bonds >= 0]] = max(factor, SOFTEST)
        # Obstacles are as stiff as ever: no longer step than they bear.
        longest = dynamics.checked_step(self._model, None, np.maximum(scale, 1.0))
        count = max(int(np.ceil(seconds / longest)), 1)
        near = {}
        for row, (item, motion) in enumerate(zip(self._obstacles, motions, strict=True)):
            if motion is not None and item.may_touch(motion, self._state, seconds):
                near[row] = item.at(motion)
        surroundings = dynamics.Surroundings(gravity, list(near.values()), pushes, scale)
        step = seconds / count
        while self._blows and count:
            self._push_on(surroundings, step)
            count -= 1
        dynamics.run(self._model, self._state, surroundings, step, count)
        given = np.zeros((len(motions), 3))
        for row, obstacle in near.items():
            given[row] = step * obstacle.taken
        return given

    def _push_on(self, surroundings: dynamics.Surroundings, step: float) -> None:
        """Take one step with the blows that are going on."""
        state, nodes = self._state, self._joined.nodes
        pushes = np.zeros_like(state.positions) if surroundings.pushes is None else surroundings.pushes.copy()
        for blow in self._blows:
            pushes[nodes[blow.row]] += blow.striker.force * blow.striker.weights
        before = state.positions.copy()
        broken = dynamics.run(self._model, state, replace(surroundings, pushes=pushes), step, 1)
        for blow in self._blows:
            rows = nodes[blow.row]
            blow.striker.follow((state.positions - before)[rows], step)
            if broken:
                blow.striker.weights = weights_on(self._bodies[blow.row], rows, state, blow.striker.impact)
        self._blows = [blow for blow in self._blows if state.time < blow.until]
