"""Groups of settings: limits, choices, and the part that each stage takes as input."""

import math
from dataclasses import dataclass, fields

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.settings.setting import Group, setting
from fracture_addon.core.data.settings.settings import (
    FillSettings,
    ModelSettings,
    Settings,
    StageSettings,
    StrikeSettings,
    all_rows,
    groups,
)

ROWS = all_rows()


@dataclass(frozen=True)
class Toy(Group):
    """A group for tests."""

    speed: float = setting(2.0, "Speed", "Speed of the toy, in m/s", low=0.0, high=9.0, unit="m/s")
    size: float = setting(1.0, "Size", "Size of the toy", low=0.5)
    depth: float = setting(-1.0, "Depth", "Depth of the toy", high=0.0, property="toy_depth")
    count: int = setting(3, "Count", "Number of toys", low=1)
    loud: bool = setting(False, "Loud", "Whether the toy is loud")
    kind: str = setting("car", "Kind", "Kind of toy", choices=(("car", "Car", "A car"), ("ball", "Ball", "A ball")))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("speed", 9.5, "Speed (speed) is 9.5; set it between 0 and 9 m/s"),
        ("speed", math.nan, "Speed (speed) is nan; set it between 0 and 9 m/s"),
        ("speed", "fast", "Speed (speed) is 'fast'; set it to a number"),
        ("speed", None, "Speed (speed) is None; set it to a number"),
        ("size", 0.25, "Size (size) is 0.25; set it to 0.5 or more"),
        ("size", math.inf, "Size (size) is inf; set it to 0.5 or more"),
        ("depth", 0.5, "Depth (toy_depth) is 0.5; set it to 0 or less"),
        ("count", 1.5, "Count (count) is 1.5; set it to a whole number"),
        ("count", True, "Count (count) is True; set it to a whole number"),
        ("loud", 1, "Loud (loud) is 1; set it to True or False"),
        ("kind", "doll", "Kind (kind) is 'doll'; choose car or ball"),
    ],
)
def test_an_invalid_value_is_refused_with_name_value_and_limits(name, value, said):
    with pytest.raises(SettingsError) as caught:
        Toy(**{name: value})
    assert str(caught.value) == said


def test_numbers_of_numpy_and_both_limits_are_valid():
    toy = Toy(speed=np.float32(9.0), size=1, count=np.int32(1), depth=0.0)
    assert (toy.speed, toy.size, toy.count) == (9.0, 1, 1)


@pytest.mark.parametrize("name", [name for name, (row, _) in ROWS.items() if row.choices])
def test_an_unknown_choice_is_refused(name):
    with pytest.raises(SettingsError, match=rf"{name}\) is 'no such'; choose .* or"):
        Settings.of(**{name: "no such"})


@pytest.mark.parametrize("name", [name for name, (row, default) in ROWS.items() if type(default) in (int, float)])
def test_numbers_out_of_their_limits_are_refused(name):
    row, default = ROWS[name]
    for limit in (row.low, row.high):
        if math.isfinite(limit):
            Settings.of(**{name: type(default)(limit)})
            with pytest.raises(SettingsError, match=row.name):
                Settings.of(**{name: type(default)(limit + math.copysign(1.0, limit - default or -1.0))})
    with pytest.raises(SettingsError, match=row.name):
        Settings.of(**{name: math.inf})


def test_a_grain_without_direction_is_refused():
    with pytest.raises(SettingsError, match=r"Grain \(grain\) is \[0.0, 0.0, 0.0\]"):
        Settings.of(grain=np.zeros(3))


def test_each_name_is_in_one_group_only():
    settings = Settings()
    names = [item.name for group in groups(Settings) for item in fields(getattr(settings, group))]
    names += [item.name for item in fields(StageSettings)]
    assert len(names) == len(set(names))
    shown = [row.property or name for name, (row, _) in ROWS.items()]
    assert len(shown) == len(set(shown))


def test_a_setting_is_changed_by_its_name_in_its_group_only():
    settings = Settings.of(noise=0.5, seed=4)
    assert (settings.strength.noise, settings.seed) == (0.5, 4)
    changed = settings.changed(crack_growth=0.1)
    assert changed.cracks.crack_growth == 0.1
    assert changed.strength is settings.strength
    with pytest.raises(TypeError, match="no_such"):
        settings.changed(no_such=1)


@pytest.mark.parametrize("stage", [FillSettings, ModelSettings, StrikeSettings])
def test_a_stage_gets_its_groups_and_nothing_else(stage):
    part = Settings.of(noise=0.5).part(stage)
    assert type(part) is stage
    assert not hasattr(part, "motion")
    assert not hasattr(part, "surface")


def test_settings_survive_being_saved(tmp_path):
    settings = Settings.of(method="fem", cell_count=70, noise=0.5, impact_schedule=((0.0, 0.0), (1.0, 1.0)))
    arrays.save(tmp_path / "settings", settings)
    loaded = arrays.load(tmp_path / "settings", Settings)
    assert arrays.digest(loaded) == arrays.digest(settings)
    assert (loaded.cracks, loaded.filling) == (settings.cracks, settings.filling)
