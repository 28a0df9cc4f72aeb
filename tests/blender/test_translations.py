"""The table of translations: each text of it is in the panel, and each language has it."""

import ast
import string
from pathlib import Path

import bpy
import pytest

from fracture_addon.blender import panels
from fracture_addon.blender.panels import translation_table, translations
from fracture_addon.blender.properties import FractureObjectSettings
from fracture_addon.blender.setup import hints

# Functions of a layout whose texts Blender looks up as operators.
OPERATORS = ("operator", "operator_menu_enum")


def written(*folders: Path) -> dict[str, set[str]]:
    """Texts in the code of the panels: those of operators, and all others."""
    found = {"operator": set(), "other": set()}
    for path in (path for folder in folders for path in folder.glob("*.py") if path.stem != "translation_table"):
        for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
            kind = "operator" if getattr(call.func, "attr", "") in OPERATORS else "other"
            texts = [item.value for item in ast.walk(call) if isinstance(item, ast.Constant)]
            found[kind] |= {text for text in texts if isinstance(text, str)}
    return found


FOUND = written(Path(panels.__file__).parent)
SAID = {*hints.STEPS.values(), hints.WITHOUT_LOAD, "Nothing hits it yet"}


@pytest.mark.parametrize("text", translation_table.BUTTONS)
def test_each_button_is_in_the_panel(text):
    assert text in FOUND["operator"] or text == "Shatter"


@pytest.mark.parametrize("text", translation_table.TEXTS)
def test_each_text_is_in_the_panel(registered, text):
    settings = (FractureObjectSettings, bpy.types.Scene.bl_rna.properties["fracture"].fixed_type)
    names = {item.name for group in settings for item in group.bl_rna.properties}
    names |= {bpy.types.Scene.bl_rna.properties[f"fracture_{name}"].name for name in ("exploded", "onion")}
    titles = {item.bl_label for item in panels.CLASSES if not issubclass(item, bpy.types.Gizmo)}
    assert text in FOUND["other"] | SAID | names | titles


def test_hints_buttons_and_sections_are_all_in_the_table(registered):
    sections = {panel.bl_label for panel in panels.sections.CLASSES}
    assert sections | set(hints.STEPS.values()) <= set(translation_table.TEXTS)
    assert panels.main._shatter_label([]) in translation_table.BUTTONS


def test_each_language_has_each_text(registered):
    made = translations.dictionary()
    assert set(made) == {"de_DE", "fr_FR", "ja_JP", "zh_HANS", "es"}
    for texts in made.values():
        assert len(texts) == len(translation_table.BUTTONS) + len(translation_table.TEXTS)
        assert all(text.strip(string.whitespace) == text != "" for text in texts.values())


def test_hints_fit_into_the_sidebar():
    for hint in (*hints.STEPS.values(), hints.WITHOUT_LOAD):
        assert all(len(text) <= 39 for text in (hint, *translation_table.TEXTS[hint]))


@pytest.mark.skipif(not bpy.app.build_options.international, reason="this Blender has no translations")
def test_blender_shows_the_translations(registered, monkeypatch):
    view = bpy.context.preferences.view
    for name, value in {"language": "de_DE", "use_translate_interface": True}.items():
        monkeypatch.setattr(view, name, value)
    shown = bpy.app.translations.pgettext_iface
    assert (shown("Violence"), shown("Shatter", translations.OPERATOR)) == ("Heftigkeit", "Zerbrechen")
    translations.unregister()
    assert shown("Violence") == "Violence"
    translations.register()
