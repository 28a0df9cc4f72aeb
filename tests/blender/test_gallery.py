"""The gallery: every picture has a command that can be run."""

import runpy
from pathlib import Path

from fracture_addon.blender import arguments, presets

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "gallery"
COMMANDS = runpy.run_path(str(GALLERY / "make.py"))["commands"]()


def test_every_picture_has_its_command():
    assert set(COMMANDS) == {path.stem for path in GALLERY.glob("*.jpg")}
    text = (GALLERY / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}.jpg)" in text for name in COMMANDS)


def test_every_command_is_understood(registered):
    for name, words in COMMANDS.items():
        said = arguments._make_parser("shatter").parse_args(words[3:])
        assert (ROOT / said.input).is_file(), name
        assert presets.find(said.preset) is not None, name
