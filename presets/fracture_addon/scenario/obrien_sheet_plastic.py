# CACM 2000, figure 4: the brittle sheet, plastic. The article prints no numbers: they are ours.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_sheet_brittle.py")))
fracture = bpy.context.object.fracture
fracture.material_name = "Sheet, plastic"
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 9e6, 9e7, 9e5
fracture.yield_strength, fracture.hardening, fracture.plastic_limit = 5e6, 5e7, 0.3
