"""What the artist can do, one file each."""

from . import (
    add_impact,
    add_place,
    apply_preset,
    bake,
    cancel,
    clear,
    drop,
    forget,
    material_preset,
    preview,
    remove_impact,
    remove_preview,
    shatter,
    show_stress,
    throw_ball,
    try_thresholds,
)

CLASSES = (
    shatter.FRACTURE_OT_shatter,
    preview.FRACTURE_OT_preview,
    show_stress.FRACTURE_OT_show_stress,
    remove_preview.FRACTURE_OT_remove_preview,
    cancel.FRACTURE_OT_cancel,
    clear.FRACTURE_OT_clear,
    bake.FRACTURE_OT_bake,
    forget.FRACTURE_OT_forget,
    drop.FRACTURE_OT_drop,
    throw_ball.FRACTURE_OT_throw_ball,
    try_thresholds.FRACTURE_OT_try_thresholds,
    add_impact.FRACTURE_OT_add_impact,
    remove_impact.FRACTURE_OT_remove_impact,
    add_place.FRACTURE_OT_add_place,
    apply_preset.FRACTURE_OT_apply_preset,
    material_preset.FRACTURE_OT_material_preset,
)
