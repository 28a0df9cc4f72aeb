"""Decide whether impacts break a fragment, and break it with its body's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ..cutting.chipping import chipped
from ..cutting.crumbling import crumbled
from ..cutting.fragment_regions import nearby
from ..data.errors import about
from ..data.impact import Impact
from ..data.placed_fields import PaintedField
from ..data.progress import ShareProgress
from ..data.settings.settings import Settings, StrikeSettings
from ..data.solid import cell_centers, cell_volumes, compacted, extract
from ..data.steady_load import RestingLoad, SteadyLoad
from ..data.surface import joined
from ..fields.painting import weights_at
from ..fields.prior_stress import without_prior_stress
from ..methods import table
from ..methods.contact_patch import spread_forces
from ..methods.method import Break, Prepared, RigidMotion, Solver
from ..methods.rigid_components import Cells
from . import dents
from .cache import NO_CACHE, Cache
from .calibration import COUNT_TOLERANCE, match_fragment_count
from .rigid_fragment import Breakable, RigidFragment

# Painted weight above which a cell becomes dust; the label in the panel says half.
PAINTED_WEIGHT = 0.5
# Most critical loads that are computed for a fragment. The smallest of them then serves for every further impact.
# Insensitive: small scenes have the same bytes with 2 and 8 (docs/decisions/constants.md).
MOST_CHECKS = 4
# Impacts below this share of the smallest critical load so far are not checked. Insensitive: small scenes have the
# same bytes with 0.35 and 0.6 (docs/decisions/constants.md).
CHECK_SHARE = 0.5
# Impacts on a fragment below this share of the whole body's critical load are not checked. Measured over jars and
# bowls, dropped and struck: fragments had 0.02 of the critical load of the whole body or more. Impacts that broke a
# fragment had 0.075 of it or more.
BUILD_SHARE = 0.04
# A fragment above this share of the body's volume is large: its model takes longest to build. Insensitive: 0.15 and
# 0.6 give the same counts of fragments (docs/decisions/constants.md).
LARGE = 0.3
# ``BUILD_SHARE`` of large fragments. Measured: sixteen had 0.165 of the critical load of the whole body or more.
LARGE_BUILD_SHARE = 0.1
# Impacts on fragments that are checked in a frame and in a run, the strongest first. Each costs a solve, and the first
# of a fragment a build: about 10 ms for 200 cells. A dropped jar or bowl needs about 40 checks. From half to 20 times
# these limits the small scenes keep their bytes; with 1 check, three bodies break into 11 instead of 162 fragments.
CHECKS_A_FRAME, CHECKS_A_RUN = 128, 1024
# No cells are held.
NONE_HELD = np.empty(0, np.int64)


@dataclass
class BreakStatistics:
    """Statistics of the breaks of one body, for its report.

    Attributes:
        load_factor: Peak load over critical load, of the first break.
        largest: Share of the volume in the largest fragment after the first break; cracks divide reinforced ones too.
        greatest_load: The largest load factor of all impacts.
        weight: Own weight over the weight that it can carry, on the first frame or when it first rests on others; 0 if
            it is not known.
        solve_count: Number of linear solves.
        break_count: Breaks of the body and of its fragments.
        dent: m, deepest dent.
        dust_count: Fragments merged or dropped as dust.
        dust_volume: Volume of the cells of dust over that of the body's cells.
        crushed: Share of the volume that broke into pieces smaller than a cell, at the first break.
        loads: Strengths of blasts and pressures that were set relative to the critical load, and other loads, one line
            each.
        held: Warning that grips have not broken the body; empty without grips.
        warnings: One line each.
    """

    load_factor: float = 0.0
    largest: float = 1.0
    greatest_load: float = 0.0
    weight: float = 0.0
    solve_count: int = 0
    break_count: int = 0
    dent: float = 0.0
    dust_count: int = 0
    dust_volume: float = 0.0
    crushed: float = 0.0
    loads: list[str] = field(default_factory=list)
    held: str = ""
    warnings: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        """Add a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)


class Breaker:
    """Computes critical loads and breaks with the bodies' methods, and keeps statistics of both.

    Args:
        breakables: The bodies.
        cache: Breaks of whole bodies from earlier runs. Breaks of fragments are not cached: they are fast enough.
        progress: Called with a share from 0 to 1 while a critical load is computed.

    Attributes:
        watch: Called while a whole body breaks, with the body and with what ``CrackWatch`` is called with. ``None`` for
            nothing. It changes no result.
        most_fragments: Largest number of fragments of a break: the smallest are merged with their neighbours. 0 for no
            limit. It has no effect on a whole body with a wanted number of fragments.
    """

    def __init__(
        self,
        breakables: Sequence[Breakable],
        cache: Cache = NO_CACHE,
        progress: ShareProgress | None = None,
    ):
        self.breakables = breakables
        self._cache, self._progress = cache, progress
        self.watch: Callable[[RigidFragment, Callable[[], np.ndarray]], None] | None = None
        self.most_fragments = 0
        self.statistics = [BreakStatistics() for _ in breakables]
        # N, smallest critical load of each whole body so far; 0 for unknown.
        self._whole_critical = [0.0 for _ in breakables]
        self._checks_this_frame = self._checks_this_run = 0

    def start_frame(self) -> None:
        """Reset the number of fragment impacts checked in this frame."""
        self._checks_this_frame = 0

    def has_broken(self) -> bool:
        """Return whether a body broke."""
        return any(item.break_count for item in self.statistics)

    def larger_breaks(self, chip: float) -> list[int]:
        """Return the rows of the bodies whose first break took off more than ``chip``, a share of the volume.

        A chip counts where the artist placed the impacts, and in bonded bodies, from which single objects may fall.
        """
        return [
            row
            for row, (breakable, item) in enumerate(zip(self.breakables, self.statistics, strict=True))
            if item.break_count and (item.largest < 1.0 - chip or breakable.members or breakable.body.impacts)
        ]

    def critical_force(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> float:
        """Return the sum of the peak forces of simultaneous impacts that first break something in a fragment, N."""
        if fragment.check_count >= MOST_CHECKS:
            return fragment.smallest_critical
        force = self.computed_critical_force(fragment, impacts)
        fragment.smallest_critical = min(fragment.smallest_critical, force)
        fragment.check_count += 1
        if fragment.depth == 0:
            self._whole_critical[fragment.body] = fragment.smallest_critical
        return force

    def computed_critical_force(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> float:
        """Return the critical force of ``critical_force`` without the limit of checks, and without remembering it."""
        with about(self.breakables[fragment.body].body.name):
            settings, prepared = self._settings(fragment), self._prepared(fragment)
            force = table.critical_force(prepared.model, settings, impacts, self._progress, prepared.solver)
        self.statistics[fragment.body].solve_count += 1
        return force

    def is_negligible(self, fragment: RigidFragment, peak_force: float) -> bool:
        """Return whether simultaneous impacts are too weak to check.

        Each impact alone needs the smallest critical force or more. Their sum therefore needs at least that force.

        Args:
            fragment: The fragment.
            peak_force: N, sum of the peak forces.
        """
        if fragment.check_count and peak_force < CHECK_SHARE * fragment.smallest_critical:
            return True
        return fragment.depth > 0 and peak_force < self._least_force(fragment)

    def would_break(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> bool:
        """Return whether simultaneous impacts would break a fragment together."""
        statistics = self.statistics[fragment.body]
        force = sum(impact.peak_force for impact in impacts)
        if self.is_negligible(fragment, force):
            if not fragment.depth:
                statistics.greatest_load = max(statistics.greatest_load, force / fragment.smallest_critical)
            return False
        if fragment.depth and fragment.check_count < MOST_CHECKS and not self._allow_check(fragment):
            return False
        critical = self.critical_force(fragment, impacts)
        if critical:
            statistics.greatest_load = max(statistics.greatest_load, force / critical)
        else:
            statistics.warn(
                "its tempering or prior stress alone exceeds its strength in places, so any contact breaks it; "
                "lower Tempering or Prior Stress"
            )
        return force >= critical

    def strike(
        self,
        fragment: RigidFragment,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        progress: ShareProgress | None = None,
    ) -> Break:
        """Break a fragment with its method; break a whole body into the wanted number of fragments.

        Args:
            fragment: The fragment.
            motion: Motion right before the impacts, rest orientation.
            impacts: Simultaneous impacts in rest space.
            progress: Called with a share from 0 to 1.
        """
        statistics, settings = self.statistics[fragment.body], self._settings(fragment)

        def strike_once(settings: Settings, load_factor: float) -> Break:
            loads = [replace(impact, load_factor=load_factor) for impact in impacts]
            result = self._strike_once(fragment, settings, motion, loads, progress)
            statistics.solve_count += result.solve_count
            statistics.greatest_load = max(statistics.greatest_load, result.load_factor)
            return result

        load_factor = impacts[0].load_factor
        matches = settings.pieces.piece_count and fragment.depth == 0
        result = strike_once(settings.changed(piece_count=0 if matches else self.most_fragments), load_factor)
        if matches and result.broken:
            result, changes = match_fragment_count(strike_once, settings, load_factor, result)
            if changes:
                statistics.warn(f"no load alone gave {settings.pieces.piece_count} pieces: {changes}")
            found = result.piece_count
            if abs(found / settings.pieces.piece_count - 1.0) > COUNT_TOLERANCE:
                statistics.warn(
                    f"{found} pieces instead of {settings.pieces.piece_count}; "
                    "change Detail or Dust Volume Limit to come nearer"
                )
        return self._finished(fragment, result)

    def dent(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> dents.Dent | None:
        """Return the dent that impacts leave in a ductile fragment that they do not break; ``None`` for none.

        Args:
            fragment: The fragment; its critical load is known.
            impacts: Simultaneous impacts in rest space.
        """
        breakable = self.breakables[fragment.body]
        material, diagonal, settings = breakable.body.material, breakable.surface.diagonal, self._settings(fragment)
        if breakable.members or not material.is_ductile or not table.capabilities(settings).dents:
            return None
        strongest = max(impacts, key=dents.energy_of)
        found, force = dents.flattened(fragment, strongest, dents.hardness(material), diagonal)
        yielding = fragment.smallest_critical * material.yield_strength / material.elastic_strength
        peak = sum(impact.peak_force for impact in impacts)
        if yielding < (force or peak) and yielding < peak:
            most = dents.DEEPEST * diagonal
            with about(breakable.body.name):
                ready, own = self._prepared(fragment), settings.part(StrikeSettings)
                method, solid = table.method(settings), fragment.own_solid
                displacement = method.dent(ready.model, solid, material, own, impacts, most, ready.solver)
            if displacement is not None:
                found = dents.bent(fragment, displacement, most)
        if found.depth < dents.SHALLOWEST * diagonal:
            return None
        statistics = self.statistics[fragment.body]
        statistics.dent = max(statistics.dent, found.depth)
        return found

    def held_solver(self, fragment: RigidFragment, held: np.ndarray) -> Solver:
        """Return a solver for the weight of a fragment in which the cells ``held`` (H,) do not move."""
        with about(self.breakables[fragment.body].body.name):
            return self._prepared(fragment).solver.holding(held)

    def stand(
        self,
        fragment: RigidFragment,
        motion: RigidMotion,
        gravity: np.ndarray,
        held: np.ndarray,
        solver: Solver,
        resting: RestingLoad,
    ) -> Break:
        """Break a standing fragment where its weight and what rests on it exceed its strength.

        Args:
            fragment: The fragment.
            motion: Its motion, rest orientation.
            gravity: (3,) m/s2, rest orientation.
            held: (H,) cells that do not move.
            solver: From ``held_solver``.
            resting: What rests on it.
        """
        with about(self.breakables[fragment.body].body.name):
            forces = self._cells(fragment).masses[:, None] * gravity
            return self._carry(fragment, motion, forces, resting, held, solver)

    def fly(self, fragment: RigidFragment, motion: RigidMotion, pushes: RestingLoad) -> Break:
        """Break a moving fragment where its inertia against the forces of its contacts exceeds its strength.

        The network adds the inertia of the rigid acceleration under all forces. With the centrifugal forces m w x
        (r x w) among them, that is the acceleration of Euler's equations. The weight accelerates all cells alike, so
        that it loads no bond.

        Args:
            fragment: The fragment.
            motion: Its motion, rest orientation.
            pushes: Forces of all bodies that touch it.
        """
        with about(self.breakables[fragment.body].body.name):
            cells, spin = self._cells(fragment), motion.angular_velocity
            arms = cells.centers - np.average(cells.centers, axis=0, weights=cells.masses)
            forces = cells.masses[:, None] * np.cross(spin, np.cross(arms, spin))
            return self._carry(fragment, motion, forces, pushes, NONE_HELD, self._prepared(fragment).solver)

    def _carry(
        self,
        fragment: RigidFragment,
        motion: RigidMotion,
        forces: np.ndarray,
        pushes: RestingLoad,
        held: np.ndarray,
        solver: Solver,
    ) -> Break:
        """Break a fragment by ``forces`` (C, 3) N on its cells and by those of other bodies; see ``stand``."""
        settings = self._settings(fragment)
        if len(pushes.points):
            forces = forces + spread_forces(self._cells(fragment), pushes.points, pushes.forces, fragment.cell_size)
        strike_settings = settings.changed(piece_count=0).part(StrikeSettings)
        model = self._prepared(fragment).model
        result = table.stand(model, strike_settings, motion, SteadyLoad(forces, held), solver)
        self.statistics[fragment.body].solve_count += result.solve_count
        return self._finished(fragment, result)

    def _cells(self, fragment: RigidFragment) -> Cells:
        """Return the cells of a fragment as rigid bodies."""
        return table.method(self._settings(fragment)).cells(self._prepared(fragment).model)

    def _finished(self, fragment: RigidFragment, result: Break) -> Break:
        """Count a break, and chip its edges if the settings ask for it."""
        if result.broken:
            self._count(fragment, result)
            settings = self._settings(fragment)
            if settings.pieces.painted_dust is not None and not settings.pieces.dust_rule.merges:
                result = self._crumbled(fragment, result, settings.pieces.painted_dust)
            if settings.surface.chips > 0.0:
                result = chipped(result, result.solid or fragment.own_solid, settings.surface.chips, settings.seed)
        return result

    def _crumbled(self, fragment: RigidFragment, result: Break, painted: PaintedField) -> Break:
        """Turn the painted cells into dust; those of joined objects stay, because each has its own paint."""
        if self.breakables[fragment.body].members:
            return result
        solid = result.solid or fragment.own_solid
        return crumbled(result, solid, weights_at(painted, cell_centers(solid.points, solid.cells)) > PAINTED_WEIGHT)

    def _strike_once(
        self,
        fragment: RigidFragment,
        settings: Settings,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        progress: ShareProgress | None,
    ) -> Break:
        breakable = self.breakables[fragment.body]
        strike_settings = settings.part(StrikeSettings)
        cache = self._cache if fragment.depth == 0 else NO_CACHE

        def compute() -> Break:
            prepared = self._prepared(fragment)
            return table.strike(
                prepared.model,
                strike_settings,
                motion,
                impacts,
                progress=progress,
                watch=None if fragment.depth or self.watch is None else partial(self.watch, fragment),
                solver=prepared.solver,
            )

        with about(breakable.body.name):
            return cache.result(
                "break",
                Break,
                (breakable.solid, breakable.body.material, strike_settings, motion, impacts),
                compute,
            )

    def _count(self, fragment: RigidFragment, result: Break) -> None:
        statistics = self.statistics[fragment.body]
        share = fragment.volume / self.breakables[fragment.body].volume
        if not statistics.break_count:
            statistics.load_factor, statistics.crushed = result.load_factor, result.crushed
            solid = result.solid or fragment.own_solid
            part = result.fragment_of_cell if result.part_of_cell is None else result.part_of_cell
            volumes = np.bincount(part, cell_volumes(solid.points, solid.cells))
            statistics.largest = float(volumes.max() / volumes.sum())
        statistics.break_count += 1
        statistics.dust_count += result.dust_count
        statistics.dust_volume += result.dust_volume * share

    def _least_force(self, fragment: RigidFragment) -> float:
        """Return the force below which impacts on a fragment are not checked, N."""
        large = fragment.volume > LARGE * self.breakables[fragment.body].volume
        return (LARGE_BUILD_SHARE if large else BUILD_SHARE) * self._whole_critical[fragment.body]

    def _allow_check(self, fragment: RigidFragment) -> bool:
        """Return whether another fragment impact may be checked in this frame and run, and count it."""
        if self._checks_this_frame >= CHECKS_A_FRAME or self._checks_this_run >= CHECKS_A_RUN:
            self.statistics[fragment.body].warn(
                f"some impacts on fragments were not checked (the limit is {CHECKS_A_FRAME} in a frame and "
                f"{CHECKS_A_RUN} in a run); lower Times It Can Break or Detail"
            )
            return False
        self._checks_this_frame += 1
        self._checks_this_run += 1
        return True

    def _settings(self, fragment: RigidFragment) -> Settings:
        """Return the settings of a fragment: those of its body, but a break releases tempering and prior stress.

        The wanted number of fragments is that of the first break.
        """
        settings = self.breakables[fragment.body].body.settings
        return settings if fragment.depth == 0 else without_prior_stress(settings).changed(piece_count=0)

    def _prepared(self, fragment: RigidFragment) -> Prepared:
        """Return the method's model and solver of a fragment, made when first needed."""
        breakable = self.breakables[fragment.body]
        if fragment.depth == 0:
            return breakable.prepared
        if fragment.prepared is None:
            settings = self._settings(fragment)
            if table.capabilities(settings).needs_padding:
                solid = nearby(fragment.own_solid, joined(fragment.surfaces).points)
            else:
                solid = extract(fragment.solid, fragment.cells, padded=False)
            fragment.prepared = table.prepare(compacted(solid), breakable.body.material, settings)
        return fragment.prepared
