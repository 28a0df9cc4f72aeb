"""Statistics of first breaks of the network: fragments of falls, and growth with violence.

The figures with more seeds and cells are those of ``benchmarks/accuracy.py``.
"""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.accuracy import DUST, Case, body, measured, slope, tilt
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.settings.settings import StrikeSettings
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.methods.break_result import with_smallest_fragment
from fracture_addon.core.methods.network.method import SMALLEST_FRAGMENT
from fracture_addon.core.timeline.timeline import simulate
from tests.core.timeline_scenes import FLOOR
from tests.recordings import hit_by_a_ball


def samples(shape, cells=2500, seeds=3, **load):
    return [measured(Case(shape, cells, seed, **load)) for seed in range(seeds)]


@pytest.mark.parametrize("shape", ["plate", "cup", "bowl"])
def test_dropped_porcelain_breaks_into_shards(shape):
    """From 1 m: 5 to 60 fragments in the mean, the largest over 8 %, dust below 0.1 % holds under 10 % of the volume.

    Twelve seeds with 3,000 cells have 5 to 13 (plate), 5 to 13 (cup) and 4 to 16 (bowl) fragments.
    """
    whole, counts = body(shape), []
    for seed in range(6):
        points = tilt(seed).apply(whole.points)
        dropped = Surface(points - [0.0, 0.0, points[:, 2].min() - 1.0], whole.faces)
        settings = Settings.of(cell_count=2000, seed=seed)
        recording = simulate(Job((Body(shape, dropped, PORCELAIN, settings),), (FLOOR,), 1, 24), lambda *_: None)
        pieces = [item.surface for item in recording.fragments if item.death_frame == NEVER] or [whole]
        shares = np.array([volume(piece) for piece in pieces]) / volume(whole)
        counts.append(len(shares))
        assert shares.max() > 0.08
        assert 1.0 - shares[shares >= DUST].sum() < 0.1
    assert 5.0 <= np.mean(counts) <= 60.0, counts


def test_more_violence_makes_more_fragments():
    """A bowl hit on its rim, at 1.5 to 24 times its critical load."""
    counts = [np.mean([sample.count for sample in samples("bowl", height=0.0, times=times)]) for times in (1.5, 6, 24)]
    assert counts[0] < counts[1] < counts[2], counts


@pytest.mark.parametrize("shape", ["bowl", "tumbler"])
def test_the_break_does_not_depend_on_the_number_of_cells(shape):
    """Slope of the logarithms of mean count and mean crack area over that of the cell size; 16 seeds: at most 0.5."""
    sizes = 1500, 6000
    found = [samples(shape, cells, seeds=6, times=3.0) for cells in sizes]
    for name in ("count", "area"):
        values = np.array([[float(getattr(sample, name)) for sample in row] for row in found])
        assert abs(slope(sizes, values.T)[0]) < 0.9, name


def test_the_default_limit_of_dust_merges_no_more_cells_on_finer_cells():
    """Else the number of fragments falls: their sizes in cells are the same."""
    limits = [with_smallest_fragment(StrikeSettings(), SMALLEST_FRAGMENT, cells) for cells in (3000, 6000, 12000)]
    counts = [limit.pieces.dust_volume * cells for limit, cells in zip(limits, (3000, 6000, 12000), strict=True)]
    assert counts == pytest.approx([SMALLEST_FRAGMENT] * 3)


@pytest.mark.parametrize("cells", [600, 2000])
def test_a_ball_shatters_a_block_into_tens_of_pieces(cells):
    """At three times its violence: 36 to 40 fragments with 600 cells, 42 to 49 with 2,000, 22 and 36 with 6,000.

    The break ends with the impact: 12 to 19 solves. A force that stays at its peak needs 100 and more.
    """
    job = hit_by_a_ball("network")
    for seed in range(2):
        block = replace(
            job.bodies[0], settings=job.bodies[0].settings.changed(cell_count=cells, seed=seed, violence=3.0)
        )
        recording = simulate(replace(job, bodies=(block,)), lambda *_: None)
        volumes = np.array([volume(item.surface) for item in recording.fragments])
        assert 20 <= len(volumes) <= 80
        assert volumes.max() < 0.4 * volume(block.surface)
        assert recording.report["bodies"][0]["solve_count"] < 40
