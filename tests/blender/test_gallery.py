"""The gallery: every picture has a command that can be run."""

import re
import runpy
from pathlib import Path

import pytest

from fracture_addon.blender.command_line import arguments
from fracture_addon.blender.setup import presets

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "gallery"
COMMANDS_OF = runpy.run_path(str(GALLERY / "commands.py"))["commands"]
COMMANDS = COMMANDS_OF()
MATERIALS = COMMANDS_OF("materials.md")

PAGES = {page: page.read_text(encoding="utf-8") for page in GALLERY.glob("*.md")}


def shown(text: str) -> set[str]:
    return set(re.findall(r"\]\((\w+)\.jpg\)", text))


def test_every_picture_is_shown_with_its_command():
    assert shown(PAGES[GALLERY / "README.md"]) == set(COMMANDS)
    assert shown(PAGES[GALLERY / "materials.md"]) == set(MATERIALS)
    assert set().union(*(shown(text) for text in PAGES.values())) == {path.stem for path in GALLERY.glob("*.jpg")}
    for page, text in PAGES.items():
        named = set(re.findall(r"python docs/gallery/(\w+)\.py", text))
        assert page.stem == "README" or named
        assert all((GALLERY / f"{script}.py").is_file() for script in named)


def test_one_command_makes_every_picture_and_film(monkeypatch):
    pytest.importorskip("PIL")  # not in Blender
    monkeypatch.syspath_prepend(str(GALLERY))
    monkeypatch.syspath_prepend(str(ROOT))
    names = [name for own in runpy.run_path(str(GALLERY / "make.py"))["scripts"]().values() for name in own]
    made = {path.stem for pattern in ("*.jpg", "close_up/*.jpg", "films/*.webm") for path in GALLERY.glob(pattern)}
    assert len(names) == len(set(names))
    assert set(names) >= made


def test_films_are_of_scenes_in_the_menu_and_linked():
    """Each has less than 2 MB, and one of the pages links it."""
    known = set(runpy.run_path(str(GALLERY / "paper_scenes.py"))["NAMES"])
    linked = {name for text in PAGES.values() for name in re.findall(r"\]\(films/(\w+)\.webm\)", text)}
    films = list((GALLERY / "films").glob("*.webm"))
    assert {path.stem for path in films} == linked <= known
    assert max(path.stat().st_size for path in films) < 2e6


def test_every_command_is_understood(registered, tmp_path):
    runpy.run_path(str(GALLERY / "materials.py"))["write_models"](tmp_path)
    for name, words in (COMMANDS | MATERIALS).items():
        said = arguments._make_parser("shatter").parse_args(words[3:])
        if said.scene:
            assert (ROOT / "presets" / "fracture_addon" / "scenario" / f"{said.scene}.py").is_file(), name
        else:
            model = Path(said.input)
            assert ((tmp_path if model.parts[0] == "build" else ROOT / model.parent) / model.name).is_file(), name
            assert presets.find(said.preset) is not None, name
