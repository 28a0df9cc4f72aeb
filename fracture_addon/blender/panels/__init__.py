"""What the artist sees in the sidebar. Panels only read."""

from . import main, sections

CLASSES = (
    main.FRACTURE_MT_material_presets,
    main.FRACTURE_MT_scenes,
    main.FRACTURE_PT_main,
    *sections.CLASSES,
)
