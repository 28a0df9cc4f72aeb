"""Variations: a grid of runs that leaves the scene as it is, and Use This, which breaks like the chosen picture."""

from dataclasses import replace
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from fracture_addon.blender.operators import variations
from fracture_addon.blender.panels.variations import FRACTURE_PT_variations
from fracture_addon.blender.process import run
from fracture_addon.blender.process.job_sequence import JobSequence
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene.result_lookup import collection_of, pieces_of
from fracture_addon.blender.setup import variation_grid, variation_sheet
from fracture_addon.core.data.errors import FractureError, SettingsError
from fracture_addon.core.data.variation import Variation
from tests.blender.snapshot import snapshot
from tests.blender.test_panels import Drawn
from tests.blender.waiting import wait


@pytest.fixture
def chosen(struck):
    """The settings of variations: seeds by violence, with two values each."""
    group = bpy.context.window_manager.fracture_variations
    group.down, group.across, group.down_values, group.across_values = "seed", "violence", "0, 5", "1, 3"
    yield group
    group.down_values = group.across_values = ""
    variation_sheet.close()


class InSidebar:
    """The context in a sidebar."""

    region = SimpleNamespace(width=300)
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def drawn():
    """Labels that the section shows."""
    layout = Drawn()
    FRACTURE_PT_variations.draw(SimpleNamespace(layout=layout), InSidebar())
    return layout.labels


def test_variations_fill_the_sheet_and_leave_the_scene_as_it_is(struck, chosen, tmp_path, monkeypatch):
    monkeypatch.setattr("fracture_addon.blender.extension.job_folder", lambda: tmp_path)
    before = snapshot(), struck.fracture.seed, struck.fracture.violence, struck.fracture.resolution
    assert bpy.ops.fracture.variations() == {"FINISHED"}
    assert (snapshot(), struck.fracture.seed, struck.fracture.violence, struck.fracture.resolution) == before
    assert list(tmp_path.iterdir()) == []
    sheet = variation_sheet.shown(bpy.context)
    assert len(sheet.outcomes) == 4
    assert all(outcome.piece_count > 1 for outcome in sheet.outcomes)
    assert sheet.description(1).startswith("Seed 0, Violence 3")
    assert sheet.description(2).startswith("Seed 5, Violence 1")
    pictures = {outcome.pixels.tobytes() for outcome in sheet.outcomes}
    assert len(pictures) == 4
    assert [label for label in drawn() if label.startswith("Violence")] == ["Violence 1", "Violence 3"]


def test_without_anything_that_can_hit_the_object_no_run_begins(struck, chosen):
    struck.fracture.impact_enabled = False
    with pytest.raises(RuntimeError, match="nothing can hit"):
        bpy.ops.fracture.variations()
    assert variation_sheet.shown(bpy.context) is None


@pytest.mark.once
def test_a_number_too_long_for_its_button_stands_alone(struck, chosen, monkeypatch):
    bpy.ops.fracture.variations()
    buttons = []
    monkeypatch.setattr(Drawn, "prop_enum", lambda self, *_names, text: buttons.append(text), raising=False)
    monkeypatch.setattr(variation_sheet.Sheet, "label", lambda self, number: f"{10 ** (3 * number)} pieces")
    drawn()
    assert buttons == ["1 pieces", "1000 pieces", "1000000 pieces", "1000000000"]


@pytest.mark.once
def test_use_this_breaks_like_the_picture_at_the_full_detail(struck, chosen):
    bpy.ops.fracture.variations()
    chosen.chosen = "3"
    assert bpy.ops.fracture.use_variation() == {"FINISHED"}
    assert (struck.fracture.seed, struck.fracture.violence, struck.fracture.resolution) == (5, 3.0, 300)
    # The full detail is below that of variations, and the frames end soon after the break.
    assert len(pieces_of(collection_of(struck))) == variation_sheet.shown(bpy.context).outcomes[3].piece_count


@pytest.mark.once
def test_the_sheet_belongs_to_its_objects(struck, chosen):
    bpy.ops.fracture.variations()
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(3.0, 0.0, 0.0))
    assert variation_sheet.shown(bpy.context) is None
    assert not bpy.ops.fracture.use_variation.poll()


def test_cancel_keeps_the_pictures_that_have_arrived(struck, chosen):
    chosen["chosen"] = 3  # of an earlier sheet
    started = variations.FRACTURE_OT_variations.begin(variations.GridOperator(), bpy.context, [struck])
    sheet = variation_sheet.shown(bpy.context)
    wait(SimpleNamespace(poll=lambda: started.process.poll() or bool(sheet.outcomes)))
    assert started.process.pid is not None
    bpy.ops.fracture.cancel()
    assert started.process.pid is None
    assert run.active is None
    assert variation_sheet.shown(bpy.context) is sheet
    assert len(sheet.outcomes) == 1
    assert any(label.startswith("Seed 0, Violence 1") for label in drawn())
    assert bpy.ops.fracture.use_variation.poll()


@pytest.mark.once
def test_a_failed_variation_does_not_end_the_others(struck, chosen):
    outcomes, shares = [], []
    job = read_job(bpy.context, [struck], (1, 4))
    process = JobSequence(None, "variation", lambda number, outcome: outcomes.append(outcome))
    process.start_all([replace(job, substeps=0), job])
    wait(process, lambda: shares.append(process.progress.share))
    failed, done = outcomes
    assert isinstance(failed, SettingsError)
    assert isinstance(done, Variation)
    assert process.result is done
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


@pytest.mark.once
def test_the_first_error_is_reported_if_all_variations_fail(struck, chosen):
    job = replace(read_job(bpy.context, [struck], (1, 4)), substeps=0)
    process = JobSequence(None, "variation", lambda number, outcome: None)
    process.start_all([job, job])
    with pytest.raises(FractureError, match="sub-steps"):
        wait(process)


def test_any_setting_of_the_table_changes_the_job(struck):
    choices = ("tensile_strength_mpa", "20, 40"), ("relief", "smooth, conchoidal")
    grid = variation_grid.read([struck], choices)
    jobs = grid.jobs(read_job(bpy.context, [struck], (1, 4)))
    found = [(job.bodies[0].material.tensile_strength, job.bodies[0].settings.surface.relief) for job in jobs]
    assert found == [(20e6, "smooth"), (20e6, "conchoidal"), (40e6, "smooth"), (40e6, "conchoidal")]


@pytest.mark.parametrize("name", sorted(variation_grid.axes()))
def test_the_proposed_values_of_each_setting_are_valid(struck, name):
    axis, (body,) = variation_grid.axes()[name], read_job(bpy.context, [struck], (1, 4)).bodies
    texts = variation_grid.proposal(struck, name).split(", ")
    assert len(texts) == len(set(texts)) >= 2
    for text in texts:
        axis.changed(body, variation_grid.named_settings.read(f"{name}={text}").value)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ((("seed", "1"), ("seed", "2")), "Rows and columns both vary seed"),
        ((("seed", "1, 2, 3, 4, 5, 6"), ("violence", "")), "seed has 6 values; write 1 to 5"),
        ((("seed", "one"), ("violence", "")), "'one' is not a whole number"),
        ((("seed", ""), ("area_exponent", "1")), "area_exponent has no effect here"),
    ],
)
def test_bad_values_are_refused(struck, choices, message):
    struck.fracture.method = "LATTICE"
    with pytest.raises(SettingsError, match=message):
        variation_grid.read([struck], choices)
    assert np.isfinite(struck.fracture.violence)
