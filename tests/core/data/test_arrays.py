"""What flows between the rooms is read-only, and survives being saved."""

import dataclasses
import importlib
import inspect
import pkgutil
from dataclasses import dataclass, field

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from tests import shapes


@dataclass(frozen=True)
class Inner:
    values: np.ndarray
    name: str


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...]
    pair: tuple[float, str]
    maybe: np.ndarray | None
    nothing: Inner | None
    table: dict[str, np.ndarray] = field(default_factory=dict)
    notes: dict[str, object] = field(default_factory=dict)


def outer():
    return Outer(
        Inner(np.arange(6, dtype=np.int32).reshape(2, 3), "first"),
        (Inner(np.array([0.1, np.inf]), "second"), Inner(np.empty((0, 3)), "ünïcode")),
        (2.5, "pair"),
        np.array([True, False]),
        None,
        {"uv/Map": np.eye(2), "material_index": np.array([1, 2], np.int32)},
        {"count": 3, "list": [1, 2.5, None], "nested": {"flag": True}, "numpy": np.float64(0.1)},
    )


def test_nested_values_come_back_as_they_were(tmp_path):
    arrays.save(tmp_path / "a.npz", outer())
    result = arrays.load(tmp_path / "a.npz", Outer)
    assert isinstance(result.many[1], Inner)
    assert result.many[1].name == "ünïcode"
    assert result.many[1].values.shape == (0, 3)
    assert result.pair == (2.5, "pair")
    assert result.nothing is None
    assert result.inner.values.dtype == np.int32
    assert np.array_equal(result.inner.values, outer().inner.values)
    assert np.array_equal(result.maybe, [True, False])
    assert np.array_equal(result.table["uv/Map"], np.eye(2))
    assert result.notes == {"count": 3, "list": [1, 2.5, None], "nested": {"flag": True}, "numpy": 0.1}


def test_the_same_value_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        arrays.save(tmp_path / f"{name}.npz", outer())
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    arrays.save(tmp_path / "c.npz", arrays.load(tmp_path / "a.npz", Outer))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "c.npz").read_bytes()


def test_a_job_survives(tmp_path):
    body = Body("Jar", shapes.shipped("old_jar"), PORCELAIN, Settings(seed=7), track=np.eye(7)[:1])
    job = Job((body,), (Collider("Floor", shapes.box()),), gravity=np.array([0.0, 0.0, -1.6]), options={"asked": "me"})
    arrays.save(tmp_path / "job.npz", job)
    result = arrays.load(tmp_path / "job.npz", Job)
    surface = result.bodies[0].surface
    assert result.bodies[0].material == PORCELAIN
    assert result.bodies[0].settings.seed == 7
    assert np.array_equal(surface.corner_attributes["uv/UVMap"], body.surface.corner_attributes["uv/UVMap"])
    assert np.array_equal(surface.points, body.surface.points)
    assert result.colliders[0].track is None
    assert result.options == {"asked": "me"}


def test_loaded_and_frozen_arrays_are_read_only(tmp_path):
    arrays.save(tmp_path / "a.npz", outer())
    for values in (arrays.load(tmp_path / "a.npz", Outer).inner.values, arrays.frozen([1, 2], np.float64)):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


@dataclass(frozen=True)
class Model(arrays.ReadOnlyArrays):
    values: np.ndarray
    table: dict[str, np.ndarray]
    pair: tuple[np.ndarray, str]


def test_a_model_has_read_only_arrays_and_leaves_the_callers_alone():
    values = np.zeros(3)
    model = Model(values, {"name": values}, (values, "text"))
    for array in (model.values, model.table["name"], model.pair[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    values[0] = 1.0
    assert model.pair[1] == "text"


def frozen_dataclasses():
    for package in ("core", "farm"):
        folder = f"fracture_addon.{package}"
        for module in pkgutil.walk_packages(importlib.import_module(folder).__path__, f"{folder}."):
            for kind in vars(importlib.import_module(module.name)).values():
                if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__ == module.name:
                    yield kind


def test_every_frozen_dataclass_with_arrays_makes_them_read_only():
    checked = 0
    for kind in frozen_dataclasses():
        texts = [str(item.type) for item in dataclasses.fields(kind)]
        has_arrays = any("ndarray" in text and not text.startswith("Callable") for text in texts)
        if kind.__dataclass_params__.frozen and has_arrays:
            own = inspect.getsource(kind.__post_init__) if hasattr(kind, "__post_init__") else ""
            assert issubclass(kind, arrays.ReadOnlyArrays) or "frozen(" in own, kind
            checked += 1
    assert checked > 50


def test_freezing_leaves_the_callers_array_alone():
    values = np.zeros(6)
    result = arrays.frozen(values, np.float64, -1, 3)
    values[0] = 1.0
    assert result.shape == (2, 3)
    assert values.flags.writeable
    with pytest.raises(ValueError, match="reshape"):
        arrays.frozen(np.zeros(4), np.float64, -1, 3)


def test_distinct_values_are_those_of_numpy():
    for values in (np.array([[3, 1], [1, 2]]), np.empty(0, int), np.array([5]), np.repeat(np.int32([2, 7]), 3)):
        found = arrays.distinct(values)
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, np.unique(values))


@pytest.mark.parametrize("most", [1, 2**16, 2**20])
def test_order_of_whole_numbers_is_stable(most):
    values = np.random.default_rng(0).integers(0, most, 500)
    values[::7] = most - 1
    np.testing.assert_array_equal(arrays.order_of(values), np.argsort(values, kind="stable"))
    assert not len(arrays.order_of(values[:0]))


def test_vector_products_of_rows_are_those_of_numpy_to_the_bit():
    first, second = np.random.default_rng(0).normal(size=(2, 300, 3))
    np.testing.assert_array_equal(arrays.cross_rows(first, second), np.cross(first, second))
    assert arrays.cross_rows(first[:0], second[:0]).shape == (0, 3)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (50, 3), (7, 4, 3)])
def test_lengths_are_those_of_numpy(shape):
    vectors = np.random.default_rng(1).normal(size=shape)
    np.testing.assert_allclose(arrays.lengths(vectors), np.linalg.norm(vectors, axis=-1), rtol=1e-12)


def test_a_damaged_file_is_told_from_one_of_another_kind(tmp_path):
    """Whatever a random damage does to the archive, there is one error."""
    path = tmp_path / "a.npz"
    arrays.save(path, outer())
    content = path.read_bytes()
    random = np.random.default_rng(1)
    for place in random.integers(len(content), size=300):
        for spoilt in (content[:place], content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]):
            path.write_bytes(spoilt)
            with pytest.raises(arrays.DamagedFileError):
                arrays.load(path, Outer)
    path.write_bytes(content)
    with pytest.raises((KeyError, TypeError)):
        arrays.load(path, Job)
