# Name: Falling Bowl, Most Brittle (O'Brien 1999)
# Figure 11: the same bowl as the first, with a toughness of 13.2 N instead of 52.9 N.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_bowl_1.py")))
fracture = bpy.context.object.fracture
fracture.tensile_strength *= 13.2 / 52.9
fracture.compressive_strength *= 13.2 / 52.9
fracture.toughness *= 13.2 / 52.9
