# CACM 2000, figure 4: the brittle sheet, light and flexible. The article prints no numbers: they are ours.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_sheet_brittle.py")))
fracture = bpy.context.object.fracture
fracture.material_name = "Sheet, light and flexible"
fracture.density, fracture.young_modulus = 300, 2e7
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 4e5, 4e6, 4e4
