"""What the artist can do, one file each."""

from . import add_impact, apply_preset, bake, cancel, clear, material_preset, preview, shatter

CLASSES = (
    shatter.FRACTURE_OT_shatter,
    preview.FRACTURE_OT_preview,
    cancel.FRACTURE_OT_cancel,
    clear.FRACTURE_OT_clear,
    bake.FRACTURE_OT_bake,
    add_impact.FRACTURE_OT_add_impact,
    apply_preset.FRACTURE_OT_apply_preset,
    material_preset.FRACTURE_OT_material_preset,
)
