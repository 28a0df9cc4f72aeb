"""The close-up gallery: its materials are presets, and its page shows the pictures that are there."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from fracture_addon.blender.setup import presets

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
LOOKS = runpy.run_path(str(GALLERY / "close_up.py"))["LOOKS"]


@pytest.mark.parametrize("name", LOOKS)
def test_a_material_has_its_preset(name):
    assert presets.find(LOOKS[name].preset) is not None
    assert np.all(np.array(LOOKS[name].color) > 0.0)


def test_the_page_shows_every_picture_and_no_other():
    page = (GALLERY / "close_up.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(close_up/(\w+)\.jpg\)", page))
    assert shown == {path.stem for path in (GALLERY / "close_up").glob("*.jpg")}
    assert shown <= set(LOOKS)
