"""Panels of the sidebar, and menus. They only read data."""

from . import advanced, main, menus, place, sections, status_bar

CLASSES = (*menus.CLASSES, main.FRACTURE_PT_main, *place.CLASSES, *sections.CLASSES, *advanced.CLASSES)


def register() -> None:
    """Add the text of the search field, the entries in Blender's menus, and the progress in the status bar."""
    advanced.register()
    menus.register()
    status_bar.register()


def unregister() -> None:
    """Remove what ``register`` added."""
    status_bar.unregister()
    menus.unregister()
    advanced.unregister()
