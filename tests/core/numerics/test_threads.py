"""Loops that threads share."""

import threading

import numpy as np
import pytest

from fracture_addon.core.geometry.inside import winding_numbers
from fracture_addon.core.geometry.nearest import nearest
from fracture_addon.core.geometry.rays import RayGrid
from fracture_addon.core.numerics import threads
from fracture_addon.core.numerics.sparse.block_matrix import CHAINS, side_by_side
from fracture_addon.core.numerics.threads import FEWEST, in_order, in_parts


@pytest.fixture(params=[1, 2, 3, 8])
def thread_count(request, monkeypatch):
    monkeypatch.setattr(threads, "THREADS", request.param)
    return request.param


@pytest.mark.parametrize("count", [0, 1, FEWEST - 1, FEWEST, 2 * FEWEST + 1, 10 * FEWEST + 7])
def test_each_element_is_computed_once(thread_count, count):
    times = np.zeros(count, int)

    def call(start, end):
        times[start:end] += 1

    in_parts(call, count)
    assert (times == 1).all()


def test_the_parts_are_on_several_threads(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 2)
    both = threading.Barrier(2)
    in_parts(lambda start, end: both.wait(60.0), 2 * FEWEST)  # a single thread would wait for the other one in vain


def test_an_error_of_any_part_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "THREADS", 2)

    def call(start, end):
        if start:
            raise ValueError("second part")

    with pytest.raises(ValueError, match="second part"):
        in_parts(call, 2 * FEWEST)


def test_results_come_in_order_whichever_call_ends_first(thread_count):
    later = threading.Event()

    def call(number):
        if number == 0 and thread_count > 1:
            assert later.wait(60.0)  # a single thread would never begin the later call
        later.set()
        return number

    assert list(in_order(call, 20)) == list(range(20))
    assert list(in_order(call, 0)) == []


def test_the_error_of_the_first_call_is_raised_and_calls_that_have_not_begun_are_left_out(thread_count):
    begun = []

    def call(number):
        begun.append(number)
        raise ValueError(f"call {number}")

    with pytest.raises(ValueError, match="call 0"):
        list(in_order(call, 500))
    assert len(begun) < 500


def test_chains_are_on_threads_of_their_own():
    all_of_them = threading.Barrier(CHAINS)

    def call(chain):
        all_of_them.wait(60.0)
        return chain

    assert side_by_side(call) == list(range(CHAINS))


def test_small_chains_stay_on_this_thread():
    assert set(side_by_side(lambda chain: threading.get_ident(), at_once=False)) == {threading.get_ident()}


def test_queries_have_the_same_bytes_for_any_number_of_threads(jar, monkeypatch):
    random = np.random.default_rng(1)
    points = random.uniform(jar.points.min(axis=0), jar.points.max(axis=0), (20 * FEWEST, 3))
    directions = random.normal(size=points.shape)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    grid = RayGrid.of(jar)

    def digest(count):
        monkeypatch.setattr(threads, "THREADS", count)
        found = winding_numbers(jar, points), *nearest(jar, points), *grid.leaves(points, directions, 0.1)
        return [array.tobytes() for array in found]

    alone = digest(1)
    assert digest(2) == alone
    assert digest(7) == alone
