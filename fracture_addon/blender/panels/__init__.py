"""Panels of the sidebar. They only read data."""

from . import main, sections

CLASSES = (
    main.FRACTURE_MT_material_presets,
    main.FRACTURE_MT_scenes,
    main.FRACTURE_PT_main,
    *sections.CLASSES,
)
