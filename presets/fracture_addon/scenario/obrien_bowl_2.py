# Name: Falling Bowl, Tough (O'Brien 1999)
# Figure 11: the same bowl as the first, with a toughness of 39.6 N instead of 52.9 N.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_bowl_1.py")))
fracture = bpy.context.object.fracture
fracture.tensile_strength *= 39.6 / 52.9
fracture.compressive_strength *= 39.6 / 52.9
fracture.toughness *= 39.6 / 52.9
