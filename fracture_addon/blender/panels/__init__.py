"""Panels of the sidebar, menus, tools and handles. Panels and menus only read data."""

from . import (
    advanced,
    gizmos,
    joints,
    keymap,
    main,
    menus,
    place,
    sections,
    status_bar,
    toolbar,
    translations,
    variations,
)

CLASSES = (
    *menus.CLASSES,
    main.FRACTURE_PT_main,
    *place.CLASSES,
    *sections.CLASSES,
    variations.FRACTURE_PT_variations,
    *joints.CLASSES,
    *advanced.CLASSES,
    *gizmos.CLASSES,
)


def register() -> None:
    """Add the text of the search field, menu entries, progress in the status bar, a key, a tool and translations."""
    advanced.register()
    menus.register()
    status_bar.register()
    keymap.register()
    toolbar.register()
    translations.register()


def unregister() -> None:
    """Remove what ``register`` added."""
    translations.unregister()
    toolbar.unregister()
    keymap.unregister()
    status_bar.unregister()
    menus.unregister()
    advanced.unregister()
