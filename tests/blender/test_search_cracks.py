"""Search for the break whose cracks run nearest to the drawn ones."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.operators import search_cracks
from fracture_addon.blender.process import run
from fracture_addon.blender.scene.result_lookup import collection_of, pieces_of
from fracture_addon.blender.setup import variation_sheet
from tests.blender.snapshot import snapshot


@pytest.fixture
def wished(struck):
    """A cube with an impact from above, and a drawn crack that leaves its strength as it is."""
    stroke = [{"name": "", "location": (0.02, y, 0.6)} for y in np.linspace(-0.1, 0.1, 9)]
    bpy.ops.fracture.draw_cracks(stroke=stroke, along="NORMAL", strength=1.0)
    yield struck
    variation_sheet.close()


@pytest.mark.once
def test_the_search_chooses_the_nearest_of_all_breaks_and_use_this_repeats_it(wished, monkeypatch):
    monkeypatch.setattr(search_cracks, "LOADS", (1.5,))
    before = snapshot(), wished.fracture.seed, wished.fracture.violence
    assert bpy.ops.fracture.search_cracks(seeds=3) == {"FINISHED"}
    assert (snapshot(), wished.fracture.seed, wished.fracture.violence) == before
    sheet, chosen = variation_sheet.shown(bpy.context), bpy.context.window_manager.fracture_variations
    deviations = [outcome.deviation for outcome in sheet.outcomes]
    assert len(deviations) == 3
    best = int(chosen.chosen)
    assert deviations[best] == min(deviations) < max(deviations)
    assert f"{1e3 * min(deviations):.3g}" in run.message.text
    assert sheet.label(best).endswith("mm off")
    assert "from the drawn ones on average" in sheet.description(best)
    assert bpy.ops.fracture.use_variation() == {"FINISHED"}
    assert wished.fracture.seed == before[1] + best
    assert wished.fracture.violence == pytest.approx(1.5 * before[2])
    assert len(pieces_of(collection_of(wished))) == sheet.outcomes[best].piece_count


@pytest.mark.once
def test_a_search_that_can_compare_no_break_says_so(wished, monkeypatch):
    monkeypatch.setattr(search_cracks, "LOADS", (1.5,))
    monkeypatch.setattr(variation_sheet.Sheet, "nearest", lambda _sheet: None)
    assert bpy.ops.fracture.search_cracks(seeds=1) == {"FINISHED"}
    assert run.message.text.startswith("No break could be compared with the drawn cracks")


def test_without_a_drawn_crack_no_run_begins(struck):
    with pytest.raises(RuntimeError, match="has no drawn crack; draw one in Where It Breaks"):
        bpy.ops.fracture.search_cracks()
    assert variation_sheet.shown(bpy.context) is None
    assert run.active is None
