# Name: Sheet with Grain Hit by a Ball (O'Brien 2000)
# CACM 2000, figure 4: the plastic sheet in a material with vertical grain, which is weak across the grain. The
# article prints no values; these were chosen for this scene.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_sheet_plastic.py")))
fracture = bpy.context.object.fracture
fracture.material_name = "Sheet, anisotropic"
fracture.grain_strength_ratio, fracture.grain_stiffness_ratio = 10.0, 1.0
fracture.grain = (0.0, 0.0, 1.0)
fracture.tensile_strength, fracture.toughness = 4e6, 3e5
