"""Deciding whether a blow breaks a piece, and breaking it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..cutting.chipping import chipped
from ..cutting.regions import nearby
from ..data.errors import about
from ..data.impact import Impact
from ..data.job import Settings
from ..data.solid import compacted, extract
from ..data.surface import joined
from ..methods import method, table
from ..methods.method import Break, RigidMotion
from .cache import NOTHING_KEPT, Stages
from .calibration import COUNT_TOLERANCE, search
from .piece import Breakable, Piece

# Critical loads found for a piece before the smallest of them serves for every further blow.
MOST_CHECKS = 4
# Blows below this share of the smallest critical load so far are not looked into.
WORTH_A_CHECK = 0.5
# Blows on a fragment below this share of what the whole body bears are not looked into: measured over dropped and
# struck jars and bowls, fragments bore a fiftieth of it or more, and what broke one was 0.075 of it at least.
WORTH_A_BUILD = 0.04
# The same for fragments above this share of the volume, whose build is the longest: sixteen bore 0.165 of it or more.
LARGE, WORTH_A_LARGE_BUILD = 0.3, 0.1
# Blows on fragments that may be looked into a frame and in a run, the strongest first; each costs a solve, the first of
# a fragment a build as well: about 10 ms for a shard of 200 cells. A jar or a bowl that is dropped takes about 40.
CHECKS_A_FRAME, CHECKS_A_RUN = 128, 1024


@dataclass
class Account:
    """What happened to one body, for its report.

    Attributes:
        load_factor: The first break's: load over the load that first breaks something.
        greatest_load: The same over all blows, broken or not.
        solve_count: Linear solves.
        break_count: Breaks of the body and of its fragments.
        dust_count, dust_volume: Fragments merged or dropped, and their share of the body's volume.
        warnings: One line each.
    """

    load_factor: float = 0.0
    greatest_load: float = 0.0
    solve_count: int = 0
    break_count: int = 0
    dust_count: int = 0
    dust_volume: float = 0.0
    warnings: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        """Note a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)


class Breaker:
    """Asks the bodies' methods, and keeps account of the answers and of what they cost.

    Args:
        breakables: The bodies.
        stages: What earlier runs left: how a whole body broke under the same blow. Fragments are too quick for that.
        progress: Called with a share from 0 to 1 while it is found out what a piece bears.
    """

    def __init__(
        self,
        breakables: Sequence[Breakable],
        stages: Stages = NOTHING_KEPT,
        progress: method.Progress | None = None,
    ):
        self.breakables = breakables
        self._stages, self._progress = stages, progress
        self.accounts = [Account() for _ in breakables]
        # N, the least load so far that would have broken each whole body; 0 for not known.
        self._borne = [0.0 for _ in breakables]
        self._checks_this_frame = self._checks_this_run = 0

    def start_frame(self) -> None:
        """Allow a frame's worth of blows on fragments to be looked into."""
        self._checks_this_frame = 0

    def critical_force(self, piece: Piece, impact: Impact) -> float:
        """Peak load, newtons, at which an impact would first break a piece."""
        body = self.breakables[piece.body].body
        if piece.check_count >= MOST_CHECKS:
            return piece.smallest_critical
        with about(body.name):
            force = table.critical_force(self._model(piece), body.settings, impact, self._progress)
        self.accounts[piece.body].solve_count += 1
        piece.smallest_critical = min(piece.smallest_critical, force)
        piece.check_count += 1
        if piece.depth == 0:
            self._borne[piece.body] = piece.smallest_critical
        return force

    def is_slight(self, piece: Piece, peak_force: float) -> bool:
        """Whether a blow of so many newtons, before the violence scales it, is not worth a look into the piece."""
        force = self.breakables[piece.body].body.settings.violence * peak_force
        if piece.check_count and force < WORTH_A_CHECK * piece.smallest_critical:
            return True
        return piece.depth > 0 and force < self._least(piece)

    def is_enough(self, piece: Piece, impacts: Sequence[Impact]) -> bool:
        """Whether impacts that fall together would break a piece, going by the strongest of them."""
        body, account = self.breakables[piece.body].body, self.accounts[piece.body]
        strongest = max(impacts, key=lambda impact: impact.peak_force)
        force = body.settings.violence * strongest.peak_force
        if self.is_slight(piece, strongest.peak_force):
            if not piece.depth:
                account.greatest_load = max(account.greatest_load, force / piece.smallest_critical)
            return False
        if piece.depth and piece.check_count < MOST_CHECKS and not self._allow(piece):
            return False
        critical = self.critical_force(piece, strongest)
        account.greatest_load = max(account.greatest_load, force / critical)
        return force >= critical

    def strike(
        self,
        piece: Piece,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        progress: method.Progress | None = None,
    ) -> Break:
        """Let the method break a piece; for a whole body, into the wanted number of pieces.

        Args:
            piece: The piece.
            motion: Right before the blow, rest orientation.
            impacts: In rest space.
            progress: Called with a share from 0 to 1.
        """
        body, account = self.breakables[piece.body].body, self.accounts[piece.body]
        settings = body.settings

        def once(settings: Settings) -> Break:
            result = self._struck(piece, settings, motion, impacts, progress)
            account.solve_count += result.solve_count
            account.greatest_load = max(account.greatest_load, result.load_factor)
            return result

        result = once(settings)
        if settings.piece_count and piece.depth == 0 and result.broken:
            result, changed = search(once, settings, result)
            if changed:
                account.warn(f"no load alone gave {settings.piece_count} pieces: {changed}")
            found = int(np.count_nonzero(result.kept))
            if abs(found / settings.piece_count - 1.0) > COUNT_TOLERANCE:
                account.warn(
                    f"{found} pieces instead of {settings.piece_count}; "
                    "change the detail or the dust size to come nearer"
                )
        if result.broken:
            self._count(piece, result)
            if settings.chips > 0.0:
                result = chipped(result, result.solid or piece.own_solid, settings.chips, settings.seed)
        return result

    def _struck(self, piece: Piece, settings: Settings, motion: RigidMotion, impacts, progress) -> Break:
        breakable = self.breakables[piece.body]
        settings, built = _while_breaking(settings), _while_breaking(breakable.body.settings)
        stages = self._stages if piece.depth == 0 else NOTHING_KEPT
        with about(breakable.body.name):
            return stages.result(
                "break",
                Break,
                (breakable.solid, breakable.body.material, built, settings, motion, impacts, piece.held),
                lambda: table.strike(self._model(piece), settings, motion, impacts, held=piece.held, progress=progress),
            )

    def _count(self, piece: Piece, result: Break) -> None:
        account = self.accounts[piece.body]
        share = piece.volume / self.breakables[piece.body].volume
        if not account.break_count:
            account.load_factor = result.load_factor
        account.break_count += 1
        account.dust_count += result.dust_count
        account.dust_volume += result.dust_volume * share

    def _least(self, piece: Piece) -> float:
        """N, below which a blow on a fragment is not looked into."""
        large = piece.volume > LARGE * self.breakables[piece.body].volume
        return (WORTH_A_LARGE_BUILD if large else WORTH_A_BUILD) * self._borne[piece.body]

    def _allow(self, piece: Piece) -> bool:
        """Whether another blow on a fragment may be looked into, within what a frame and a run may cost."""
        if self._checks_this_frame >= CHECKS_A_FRAME or self._checks_this_run >= CHECKS_A_RUN:
            self.accounts[piece.body].warn(
                f"some blows on fragments were passed over (at most {CHECKS_A_FRAME} a frame and {CHECKS_A_RUN} "
                "in all are looked into); lower the break depth, or the detail"
            )
            return False
        self._checks_this_frame += 1
        self._checks_this_run += 1
        return True

    def _model(self, piece: Piece):
        breakable = self.breakables[piece.body]
        if piece.depth == 0:
            return breakable.model
        if piece.model is None:
            settings = breakable.body.settings
            if table.named(settings.method).capabilities.needs_padding:
                solid = nearby(piece.own_solid, joined(piece.surfaces).points)
            else:
                solid = extract(piece.solid, piece.cells, padded=False)
            piece.model = table.build(compacted(solid), breakable.body.material, settings)
        return piece.model


def _while_breaking(settings: Settings) -> Settings:
    """Settings with those at rest that have their say only before or after a break."""
    return replace(settings, break_depth=0, roughness=0.0, repair=False)
