# CACM 2000, figure 4: the brittle sheet, anisotropic and lighter. The article prints no numbers: they are ours.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_sheet_brittle.py")))
fracture = bpy.context.object.fracture
fracture.material_name = "Sheet, anisotropic"
fracture.density = 600
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 2e6, 2e7, 2e5
fracture.grain_strength_ratio, fracture.grain = 20.0, (0.0, 0.0, 1.0)
