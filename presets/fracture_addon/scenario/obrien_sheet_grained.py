# CACM 2000, figure 4: the plastic sheet, of a material that is weak across its grain, which runs upwards. The article prints
# no numbers: they are ours.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_sheet_plastic.py")))
fracture = bpy.context.object.fracture
fracture.material_name = "Sheet, anisotropic"
fracture.grain_strength_ratio, fracture.grain = 10.0, (0.0, 0.0, 1.0)
