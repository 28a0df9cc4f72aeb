"""Panels of the sidebar, and menus. They only read data."""

from . import advanced, joints, keymap, main, menus, place, sections, status_bar, toolbar, variations

CLASSES = (
    *menus.CLASSES,
    main.FRACTURE_PT_main,
    *place.CLASSES,
    *sections.CLASSES,
    variations.FRACTURE_PT_variations,
    *joints.CLASSES,
    *advanced.CLASSES,
)


def register() -> None:
    """Add the text of the search field, entries in Blender's menus, progress in the status bar, a key and a tool."""
    advanced.register()
    menus.register()
    status_bar.register()
    keymap.register()
    toolbar.register()


def unregister() -> None:
    """Remove what ``register`` added."""
    toolbar.unregister()
    keymap.unregister()
    status_bar.unregister()
    menus.unregister()
    advanced.unregister()
