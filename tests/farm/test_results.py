"""The folder of results: what marks it, what it refuses, and the states of its runs."""

import dataclasses
import multiprocessing
import time

import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.storage import files
from fracture_addon.farm import page, results, table
from tests.farm import plans


def test_a_folder_is_created_and_accepted_again(tmp_path):
    folder = tmp_path / "deep" / "out"
    results.open_for(plans.plan(2), folder)
    results.open_for(plans.plan(2), folder)
    assert results.read_plan(folder) == plans.plan(2)


def test_a_half_written_plan_does_not_count(tmp_path):
    (tmp_path / f"{files.PART}{'0' * 16}.json").touch()
    results.open_for(plans.plan(2), tmp_path)
    assert results.read_plan(tmp_path) == plans.plan(2)


def test_other_folders_are_refused_and_unchanged(tmp_path):
    (tmp_path / "holiday.jpg").write_text("x")
    with pytest.raises(SettingsError, match="did not write"):
        results.open_for(plans.plan(2), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]
    with pytest.raises(SettingsError, match="is a file"):
        results.open_for(plans.plan(2), tmp_path / "holiday.jpg")
    with pytest.raises(SettingsError, match="contains no results"):
        results.read_plan(tmp_path)


def test_other_runs_and_changed_inputs_are_refused(tmp_path):
    plan = dataclasses.replace(plans.plan(2), inputs={"jar.obj": "1"})
    results.open_for(plan, tmp_path)
    with pytest.raises(SettingsError, match="other runs"):
        results.open_for(dataclasses.replace(plans.plan(3), inputs=plan.inputs), tmp_path)
    with pytest.raises(SettingsError, match=r"'jar.obj' changed"):
        results.open_for(dataclasses.replace(plan, inputs={"jar.obj": "2"}), tmp_path)


def test_states(tmp_path):
    assert results.state(tmp_path, 1) == "open"
    results.write_failure(tmp_path, 1, 4, "it diverged")
    assert results.state(tmp_path, 1) == "failed"
    results.forget_failure(tmp_path, 1)
    assert results.state(tmp_path, 1) == "open"
    report = results.run_folder(tmp_path, 1) / results.REPORT
    report.write_text('{"bodies": [')
    assert results.state(tmp_path, 1) == "open"  # a report that is not whole
    plans.write_report(tmp_path, 1)
    assert results.state(tmp_path, 1) == "done"


def _hold(folder, seconds):
    with results.locked(folder, 1):
        time.sleep(seconds)


def test_a_run_is_locked_until_its_process_dies(tmp_path):
    results.run_folder(tmp_path, 1).mkdir(parents=True)
    other = multiprocessing.get_context("spawn").Process(target=_hold, args=(tmp_path, 60.0))
    waiting = multiprocessing.get_context("spawn").Process(target=_hold, args=(tmp_path, 0.0))
    other.start()
    while not (results.run_folder(tmp_path, 1) / results.LOCK).exists():
        time.sleep(0.01)
    time.sleep(0.5)
    waiting.start()
    waiting.join(3.0)
    assert waiting.is_alive()
    other.kill()
    waiting.join()
    assert waiting.exitcode == 0


def test_the_table_has_a_row_for_each_run(tmp_path):
    plan = plans.plan(3)
    plans.write_report(tmp_path, 1, fragments=7, volume_error=-1e-9, warnings=["thin wall"])
    results.write_failure(tmp_path, 2, 4, "it diverged")
    rows = table.rows(plan, tmp_path)
    assert [(row["run"], row["seed"], row["state"]) for row in rows] == [
        (1, 1, "done"),
        (2, 2, "failed"),
        (3, 3, "open"),
    ]
    assert (rows[0]["fragments"], rows[0]["volume_error"], rows[0]["warnings"]) == (7, 1e-9, "thin wall")
    assert rows[1]["message"] == "it diverged"
    table.write(rows, tmp_path)
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("run,seed,state,")


def test_the_table_as_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
    plans.write_report(tmp_path, 1, fragments=7)
    rows = table.rows(plans.plan(2), tmp_path)
    assert table.write(rows, tmp_path)[1].name == "table.parquet"
    assert parquet.read_table(tmp_path / "table.parquet").to_pylist() == rows


def test_the_page_shows_pictures_and_failures(tmp_path):
    plan = plans.plan(2)
    plans.write_report(tmp_path, 1, fragments=7)
    (results.run_folder(tmp_path, 1) / page.PICTURE).touch()
    results.write_failure(tmp_path, 2, 4, "a < b & c")
    page.write(plan, table.rows(plan, tmp_path), tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert 'src="runs/00001/sheet.png"' in text
    assert "7 pieces, 1.5 s" in text
    assert "a &lt; b &amp; c" in text
    assert "1 of 2 runs are done" in text


def test_two_settings_are_a_grid(tmp_path):
    runs = tuple(
        dataclasses.replace(run, values={"violence": 1 + run.number // 3, "preset": "ab"[run.number % 2]})
        for run in plans.plan(4).runs
    )
    plan = dataclasses.replace(plans.plan(4), runs=runs)
    page.write(plan, table.rows(plan, tmp_path), tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert text.count("<tr>") == 3
    assert text.count("<figure") == 4
