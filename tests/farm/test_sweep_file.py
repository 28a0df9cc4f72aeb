"""Sweeps in TOML files: what they expand to, and what is refused."""

import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.farm import plan as plans
from fracture_addon.farm import sweep_file


@pytest.fixture
def read(tmp_path):
    (tmp_path / "jar.obj").write_text("v 0 0 0\n")

    def function(text, head='model = "jar.obj"\n'):
        path = tmp_path / "sweep.toml"
        path.write_text(head + text)
        return sweep_file.read(path)

    return function


def test_each_combination_is_a_run(read, tmp_path):
    plan = read('[options]\npreset = "terracotta"\n[sweep]\nviolence = [1, 2.5]\nheld = [true, false]\n')
    assert [dict(run.values) for run in plan.runs] == [
        {"violence": 1, "held": True},
        {"violence": 1, "held": False},
        {"violence": 2.5, "held": True},
        {"violence": 2.5, "held": False},
    ]
    assert plan.runs[2].number == 3
    assert plan.runs[2].arguments == (
        str(tmp_path / "jar.obj"),
        "--preset=terracotta",
        "--violence=2.5",
        "--set=held=on",
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("seed = {from = 3, to = 6}", [3, 4, 5, 6]),
        ("seed = {from = 0, to = 10, count = 3}", [0, 5, 10]),
        ("violence = {from = 1.0, to = 2.0, count = 3}", [1.0, 1.5, 2.0]),
        ('strength = {from = 1, to = 100, count = 3, scale = "log"}', [1, 10, 100]),
        ("seed = {from = 7, to = 9, count = 1}", [7]),
    ],
)
def test_ranges(read, text, values):
    assert [value for run in read(f"[sweep]\n{text}\n").runs for value in run.values.values()] == values


def test_versions_are_successive_seeds(read):
    plan = read("versions = 3\n[options]\nseed = 5\n[sweep]\nviolence = [1, 2]\n")
    assert [run.values["seed"] for run in plan.runs] == [5, 6, 7, 5, 6, 7]
    assert all("--seed=5" not in run.arguments for run in plan.runs if run.values["seed"] != 5)


def test_vectors_and_scenes(read):
    plan = read("[sweep]\ndirection = [[1, 0, 0], [0, -1, 0.5]]\n", 'scene = "obrien_wall_2"\n')
    assert plan.runs[1].arguments == ("--scene=obrien_wall_2", "--direction=0,-1,0.5")
    assert plan.inputs == {}


def test_a_sweep_without_settings_is_one_run(read):
    assert len(read("").runs) == 1


def test_variants_contain_each_value(read):
    plan = read("[sweep]\nviolence = [1, 2, 3]\nseed = {from = 1, to = 40}\n")
    chosen = sweep_file.variants(plan)
    assert {run.values["violence"] for run in chosen} == {1, 2, 3}
    assert {run.values["seed"] for run in chosen} == set(range(1, 41))
    assert len(chosen) < len(plan.runs) / 2


def test_a_plan_survives_json(read):
    plan = read("[sweep]\nviolence = [1, 2.5]\n")
    assert plans.from_json(plan.as_json()) == plan


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[sweep]\nviolence = []\n", "'violence' has no values"),
        ("[sweep]\nviolence = 2\n", "'violence' has one value"),
        ("[sweep]\nviolence = [1, 1.0]\n", "the value 1 twice"),
        ('[sweep]\nviolence = [1, "2"]\n', "mixes"),
        ("[sweep]\nviolence = {from = 1, to = 2}\nseed = {from = 1}\n", "'seed' is not a range"),
        ("[sweep]\nviolence = {from = 1.0, to = 2.0}\n", "count = None"),
        ("[sweep]\nviolence = {from = 1, to = 2, count = 0}\n", "count = 0"),
        ("[sweep]\nviolence = {from = inf, to = 2, count = 2}\n", "not a number"),
        ('[sweep]\nviolence = {from = 0, to = 2, count = 2, scale = "log"}\n', "positive"),
        ('[sweep]\nviolence = {from = 1, to = 2, count = 2, scale = "cubic"}\n', "cubic"),
        ("[sweep]\nviolence = [{a = 1}]\n", "'violence'"),
        ("[options]\nseed = 1\n[sweep]\nseed = [1, 2]\n", "in [options] and in [sweep]"),
        ("versions = 2\n[sweep]\nseed = [1, 2]\n", "both set the seed"),
        ('versions = 2\n[options]\nseed = "x"\n', "whole number"),
        ("versions = 0\n", "versions = 0"),
        ("versions = true\n", "whole number"),
        ("pictures = 1\n", "true or false"),
        ("sweep = 3\n", "not a table"),
        ("extra = 3\n", "'extra' is unknown"),
        ('scene = "a.blend"\n', "or two"),
        ("[sweep]\nseed = {from = 1, to = 400}\nviolence = {from = 1, to = 400}\n", "160000 runs"),
        ("[sweep\n", "TOML"),
    ],
)
def test_bad_sweeps_are_refused_in_one_line(read, text, part):
    with pytest.raises(SettingsError) as caught:
        read(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_are_refused(tmp_path, read):
    with pytest.raises(SettingsError, match="does not exist"):
        read("", 'model = "gone.obj"\n')
    with pytest.raises(SettingsError, match="cannot be read"):
        sweep_file.read(tmp_path / "gone.toml")
