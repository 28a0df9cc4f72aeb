"""Sounds that let whole rigid bodies vibrate, more with each period, until they break (docs/decisions/resonance.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.impact import STEADY, Deflection, Impact, PressedFaces
from ..data.job import Job
from ..data.material import Material
from ..data.solid import cell_centers, cell_volumes
from ..data.sound import Sound
from ..geometry.embedding import embed
from ..geometry.visibility import SeenFaces
from ..methods.vibrations import Vibration, vibrations
from ..numerics.rotations import matrices
from .blasts import faces_in_sight
from .breaking import Breaker
from .cache import Cache
from .face_loads import FaceLoad
from .rigid_fragment import RigidFragment
from .rigid_scene import RigidScene

# m/s, speed of sound in air at 20 degrees Celsius.
SPEED_OF_SOUND = 343.0
# Loss factor of a material without damping: the resonance is 1 / LOSS times the deflection under a steady force. Glass
# has 0.0005 to 0.002 (Cremer and Heckl 1988, Structure-Borne Sound, table 4.4).
LOSS = 1e-3
# Relative distance within which frequencies count as the same: the cells split the two equal frequencies of a round
# body by 0.3 to 3 % (docs/decisions/resonance.md). A sound this near to an own frequency is in tune with it.
SAME = 0.05
# Share of a rigid motion above which a vibration is that of a rigid part on a thin stem. Glasses, tubes, panes and bars
# have at most 0.44 or at least 0.75 in their six lowest vibrations (docs/decisions/resonance.md).
NODS = 0.5
# Load with which a body is broken when it reaches the critical one, over the critical one; if it holds, the square
# follows, and so on, up to the load of the frame. Six wine glasses of 2,000 to 4,000 cells break into 17 to 35, 20 to
# 36 and 23 to 37 pieces at 1.5, 2 and 3; two of them hold at 1.25 (docs/decisions/resonance.md).
OVERLOAD = 1.5
# m, smallest distance from a loudspeaker: a membrane has no higher pressure than at this distance.
NEAREST = 0.05
# Own frequencies that a message names beyond the nearest one.
MORE_NAMES = 3
# dB, added to a proposed level before it is rounded.
ROUNDED = 0.5
# No cells are held.
NONE_HELD = np.empty(0, np.int64)


@dataclass(frozen=True)
class Resonance(ReadOnlyArrays):
    """Vibration of a body in a sound, at its full amplitude.

    Attributes:
        impact: The elastic forces of the deflection, as a steady load.
        critical: N, load at which the body first breaks.
        frequency: Hz, of the vibration.
        rise: 1/s, rate at which the amplitude approaches the full one.
        amplitude: m, largest displacement.
        points: (C, 3) m, centroids of the cells, rest space.
        momenta: (C, 3) N s, their largest momenta.
        level: dB at 1 m, of the sound.
    """

    impact: Impact
    critical: float
    frequency: float
    rise: float
    amplitude: float
    points: np.ndarray
    momenta: np.ndarray
    level: float

    def load_factor(self, seconds: float = math.inf) -> float:
        """Return the load over the critical load after some seconds of the sound, without violence."""
        full = self.impact.contact_force / self.critical if self.critical > 0.0 else math.inf
        return -math.expm1(-self.rise * seconds) * full

    def scaled(self, factor: float) -> Resonance:
        """Return the resonance with a multiple of the sound pressure."""
        return replace(
            self,
            impact=replace(self.impact, impulse=factor * self.impact.impulse),
            amplitude=factor * self.amplitude,
            momenta=factor * self.momenta,
            level=self.level + 20.0 * math.log10(factor),
        )


def quality(material: Material, frequency: float) -> float:
    """Return the quality factor of a vibration: its amplitude over the deflection under a steady force.

    Args:
        material: Its damping time, or none.
        frequency: Hz.

    Returns:
        1 / (omega t) with the damping time t; 1 / ``LOSS`` for a material without damping.

    Notes:
        The loss factor of viscosity in proportion to stiffness is omega t (Cremer and Heckl 1988, chapter 3).

    Example:
        >>> from ..data.material import PORCELAIN
        >>> quality(PORCELAIN, 500.0)
        1000.0
    """
    loss = 2.0 * math.pi * frequency * material.damping_time
    return 1.0 / loss if loss > 0.0 else 1.0 / LOSS


def response(own: np.ndarray, qualities: np.ndarray, frequency: float) -> np.ndarray:
    """Return the complex amplitudes of vibrations under forces of 1 that swing at a frequency.

    Args:
        own: (K,) Hz, own frequencies.
        qualities: (K,) quality factors.
        frequency: Hz, of the forces.

    Returns:
        (K,) s2, of vibrations with a modal mass of 1.

    Notes:
        1 / (w_k^2 - w^2 + i w w_k / Q): a damped oscillator (Rayleigh 1894, section 46).

    Example:
        In resonance the amplitude is Q times that under a steady force.

        >>> still, tuned = response(np.ones(2), np.full(2, 50.0), 0.0), response(np.ones(2), np.full(2, 50.0), 1.0)
        >>> abs(tuned / still).round(6).tolist()
        [50.0, 50.0]
    """
    turns = 2.0 * np.pi * own
    turn = 2.0 * np.pi * frequency
    return 1.0 / (turns**2 - turn**2 + 1j * turn * turns / qualities)


def groups(own: np.ndarray) -> np.ndarray:
    """Return the group of each own frequency: those within ``SAME`` of the first of a group belong to it.

    Args:
        own: (K,) Hz, rising.

    Returns:
        (K,) from 0.

    Notes:
        Own: a round body has pairs of equal frequencies, which irregular cells split (docs/decisions/resonance.md).

    Example:
        >>> groups(np.array([450.0, 455.0, 530.0, 1600.0, 1640.0])).tolist()
        [0, 0, 1, 2, 2]
    """
    found: list[int] = []
    first = -math.inf
    for frequency in own:
        starts = frequency > (1.0 + SAME) * first
        first = frequency if starts else first
        found.append((found[-1] if found else -1) + starts)
    return np.array(found, int)


class Sounds:
    """The sounds of a job, and the whole bodies that they reach.

    Args:
        job: The job.
        breaker: Computes the critical loads.
        cache: Vibrations of an earlier run.

    Notes:
        Own model (docs/decisions/resonance.md).

    Example:
        >>> from ..data.job import Job
        >>> list(Sounds(Job(()), Breaker([]), Cache()).on_frame(0, None))
        []
    """

    def __init__(self, job: Job, breaker: Breaker, cache: Cache):
        self._job, self._breaker, self._cache = job, breaker, cache
        # Resonances of each sound by the row of the fragment, and the largest load of a body that did not break it,
        # over the critical one.
        self._resonances: list[dict[int, Resonance]] = [{} for _ in job.sounds]
        self._held: dict[int, float] = {}

    def on_frame(self, row: int, scene: RigidScene) -> Iterator[tuple[int, FaceLoad]]:
        """Yield each whole body that a sound breaks, and its load.

        Args:
            row: The frame, counted from the first one.
            scene: State on the frame. The caller breaks the body.
        """
        frame = self._job.frame_start + row
        for sound, resonances in zip(self._job.sounds, self._resonances, strict=True):
            if frame == sound.frame:
                resonances.update(self._start(sound, scene))
            if not sound.frame <= frame <= sound.last_frame:
                continue
            for number, resonance in resonances.items():
                if scene.fragments[number].key >= 0:
                    yield from self._broken(frame, sound, number, resonance, scene)

    def _broken(
        self, frame: int, sound: Sound, number: int, resonance: Resonance, scene: RigidScene
    ) -> Iterator[tuple[int, FaceLoad]]:
        """Yield a body and its load on a frame, if that breaks it; warn on the last frame if none did."""
        fragment, violence = scene.fragments[number], scene.violence(number)
        statistics = self._breaker.statistics[fragment.body]
        load = violence * resonance.load_factor((frame - sound.frame) / self._job.frame_rate)
        statistics.greatest_load = max(statistics.greatest_load, load)
        if load >= 1.0:
            held = self._held.get(number, 0.0)
            while fragment.key >= 0 and held < load:
                held = min(held * held, load) if held else OVERLOAD
                now = resonance.scaled(held / (violence * resonance.load_factor()))
                yield number, FaceLoad((replace(now.impact, load_factor=violence),), now.points, now.momenta)
            self._held[number] = held
            if fragment.key < 0:
                amplitude = 1e3 * resonance.amplitude / (violence * resonance.load_factor())
                statistics.loads.append(
                    f"Sound '{sound.name}' breaks it on frame {frame}, at an amplitude of {amplitude:.2g} mm"
                )
        if fragment.key >= 0 and frame == min(sound.last_frame, self._job.frame_end) and load > 0.0:
            needed = resonance.level - 20.0 * math.log10(load)
            statistics.warn(
                f"the sound '{sound.name}' loads it to {load:.2g} times its breaking load in {frame - sound.frame} "
                f"frames; raise the level from {resonance.level:.0f} to {needed + ROUNDED:.0f} dB, let the sound last "
                "longer, or choose Relative"
            )

    def _start(self, sound: Sound, scene: RigidScene) -> dict[int, Resonance]:
        """Return the resonances of the whole bodies that a sound reaches, with the level of a relative sound."""
        found = {}
        for number, faces in faces_in_sight(scene, self._job.colliders, sound.point).items():
            if scene.fragments[number].depth == 0:
                resonance = self._resonance(sound, scene.fragments[number], faces, scene)
                if resonance is not None:
                    found[number] = resonance
        if not found:
            self._warn_of_silence(sound, scene)
        strongest = max((item.load_factor() for item in found.values()), default=0.0)
        scale = sound.load_factor / strongest if sound.load_factor and 0.0 < strongest < math.inf else 1.0
        found = {number: resonance.scaled(scale) for number, resonance in found.items()}
        for number, resonance in found.items():
            self._breaker.statistics[scene.fragments[number].body].loads.append(
                f"Sound '{sound.name}': {resonance.level:.0f} dB at 1 m, {resonance.frequency:.0f} Hz; in full "
                f"resonance {1e3 * resonance.amplitude:.2g} mm, {resonance.load_factor():.2g} times the breaking load"
            )
        return found

    def _warn_of_silence(self, sound: Sound, scene: RigidScene) -> None:
        """Warn all whole bodies of a sound that reaches none of them."""
        for fragment in scene.fragments:
            if fragment.depth == 0 and fragment.key >= 0:
                self._breaker.statistics[fragment.body].warn(
                    f"the sound '{sound.name}' does not reach it, because other objects are in between; move the sound "
                    "to a place with a free line to it"
                )

    def _resonance(
        self, sound: Sound, fragment: RigidFragment, faces: SeenFaces, scene: RigidScene
    ) -> Resonance | None:
        """Return the vibration of a whole body in a sound; ``None`` if the sound does not let it vibrate."""
        breakable = self._breaker.breakables[fragment.body]
        solid, material, strength = breakable.solid, breakable.body.material, breakable.body.settings.strength
        held = embed(fragment.anchors, solid.points, solid.cells)[1] if fragment.kinematic else NONE_HELD
        inputs = (solid, material, strength, np.unique(held))
        modes = self._cache.in_memory("vibrations", inputs, lambda: vibrations(*inputs))
        if not modes:
            return None
        own = np.array([mode.frequency for mode in modes])
        frequency, tuned = self._tuned(sound, fragment, modes, own)
        qualities = np.array([quality(material, item) for item in tuned])
        centers, pose = cell_centers(solid.points, solid.cells), scene.world.pose(fragment.key)
        rotation = matrices(pose[3:])
        points = (faces.centers - pose[:3]) @ rotation + fragment.properties.center
        forces, rows = _sound_forces(sound, faces, frequency) @ rotation, cKDTree(centers).query(points)[1]
        work = np.array([np.einsum("fi,fi->", mode.cells[rows], forces) for mode in modes])
        amplitudes = work * response(tuned, qualities, frequency)
        leader = int(np.argmax(np.abs(amplitudes) * own**2))
        # Displacements when the strongest vibration is at its largest amplitude.
        sizes = np.real(amplitudes * np.exp(-1j * np.angle(amplitudes[leader])))
        elastic = _sum(sizes, [mode.forces for mode in modes])
        if not elastic.any():
            return None
        used = np.unique(solid.cells)
        shape = _sum(sizes, [mode.points[used] for mode in modes])
        # Each part is bent both ways in a period.
        halves = [_impact(centers, side * elastic, solid.points[used], side * shape) for side in (1.0, -1.0)]
        criticals = [self._breaker.computed_critical_force(fragment, [impact]) for impact in halves]
        moved = _sum(sizes, [mode.cells for mode in modes])
        masses = fragment.properties.mass * cell_volumes(solid.points, solid.cells) / breakable.volume
        return Resonance(
            impact=halves[int(np.argmin(criticals))],
            critical=min(criticals),
            frequency=frequency,
            rise=math.pi * tuned[leader] / qualities[leader],
            amplitude=float(lengths(moved).max()),
            points=centers,
            momenta=2.0 * math.pi * frequency * masses[:, None] * moved,
            level=sound.level,
        )

    def _tuned(
        self, sound: Sound, fragment: RigidFragment, modes: Sequence[Vibration], own: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the frequency of a sound for a body, and its own frequencies (K,), of which the tuned ones are equal.

        Args:
            sound: The sound.
            fragment: The whole body.
            modes: Its vibrations.
            own: (K,) Hz, their frequencies.
        """
        group = groups(own)
        middles = np.bincount(group, own) / np.bincount(group)
        if sound.frequency:
            nearest = int(np.abs(np.log(middles / sound.frequency)).argmin())
            if not middles[nearest] / (1.0 + SAME) <= sound.frequency <= middles[nearest] * (1.0 + SAME):
                names = ", ".join(f"{middle:.0f}" for middle in middles[: int(nearest) + MORE_NAMES])
                self._breaker.statistics[fragment.body].warn(
                    f"the sound '{sound.name}' of {sound.frequency:.0f} Hz is not in tune with it; its own frequencies "
                    f"are {names} Hz; set the frequency to one of these, or to 0"
                )
                return sound.frequency, own
        else:
            rigidity = np.bincount(group, [mode.rigidity for mode in modes]) / np.bincount(group)
            nearest = int(np.argmax(rigidity < NODS))
        return float(middles[nearest]), np.where(group == nearest, middles[nearest], own)


def _impact(centers: np.ndarray, forces: np.ndarray, points: np.ndarray, shape: np.ndarray) -> Impact:
    """Return the load of a vibration at its largest amplitude.

    Args:
        centers: (C, 3) m, centroids of the cells, rest space.
        forces: (C, 3) N, elastic forces on them.
        points: (P, 3) m, points of the cells.
        shape: (P, 3) m, their displacements.
    """
    sizes = lengths(forces)
    total, largest = float(sizes.sum()), int(sizes.argmax())
    wide = float(lengths(centers - centers[largest]).max())
    load = PressedFaces(centers, forces / total, bends=True, deflection=Deflection(points, shape / total))
    return Impact(centers[largest], forces[largest], 0.5 * total * STEADY, STEADY, wide, faces=load)


def _sum(amplitudes: np.ndarray, shapes: Sequence[np.ndarray]) -> np.ndarray:
    """Return the sum of shapes (K,) x (N, 3), each times its amplitude (K,)."""
    return np.einsum("k,kni->ni", amplitudes, np.stack(shapes))


def _sound_forces(sound: Sound, faces: SeenFaces, frequency: float) -> np.ndarray:
    """Return the complex forces (F, 3) N, orientation of the world, of a sound from a point on faces."""
    waves = 2.0 * np.pi * frequency / SPEED_OF_SOUND
    distances = np.maximum(faces.distances, NEAREST)
    pressures = sound.pressure / distances * np.exp(-1j * waves * (distances - distances.min()))
    return -(pressures * faces.areas)[:, None] * faces.normals
