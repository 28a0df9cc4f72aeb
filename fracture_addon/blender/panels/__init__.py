"""Panels of the sidebar, and menus. They only read data."""

from . import advanced, main, menus, place, sections

CLASSES = (*menus.CLASSES, main.FRACTURE_PT_main, *place.CLASSES, *sections.CLASSES, *advanced.CLASSES)


def register() -> None:
    """Add the text of the search field, and the entries in Blender's menus."""
    advanced.register()
    menus.register()


def unregister() -> None:
    """Remove what ``register`` added."""
    menus.unregister()
    advanced.unregister()
