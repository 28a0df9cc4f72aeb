"""Translations of the panel, for the language that the artist has chosen in Blender's preferences."""

from __future__ import annotations

import bpy

from .translation_table import BUTTONS, LANGUAGES, TEXTS

# Contexts in which Blender looks up texts of buttons and all others.
OPERATOR, OTHER = "Operator", "*"


def dictionary() -> dict[str, dict[tuple[str, str], str]]:
    """Return the translations by language, then by context and English text, as Blender takes them."""
    rows = {(OPERATOR, text): row for text, row in BUTTONS.items()} | {
        (OTHER, text): row for text, row in TEXTS.items()
    }
    return {language: {key: row[column] for key, row in rows.items()} for column, language in enumerate(LANGUAGES)}


def register() -> None:
    """Give the translations to Blender."""
    bpy.app.translations.register(__name__, dictionary())


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__name__)
