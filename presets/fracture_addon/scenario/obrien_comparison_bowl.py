# Name: Bowl Falling on Its Edge (O'Brien 1999)
# Figure 13: the bowl of figure 11 in another material, falling on its edge.
# O'Brien and Hodgins 1999, table 1: Lame constants 0 and 5.29e+07 Pa, viscosities 0 and 198 Pa s, 1013 kg/m3,
# toughness 106 N. The paper's toughness is a force. Divided by the square of the element's edge (0.0156 m here) it
# gives the strength.
import math
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_bowl_1.py")))
bowl = bpy.context.object
fracture = bowl.fracture
fracture.resolution = 1500
fracture.material_name = "Ceramic of the paper"
fracture.young_modulus, fracture.poisson_ratio = 1.058e8, 0.0
fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 4.37e5, 4.37e6, 2.73e4
fracture.dilation_damping, fracture.rigidity_damping = 0, 198

bowl.rotation_euler = (math.radians(80.0), 0.0, 0.0)
bpy.context.view_layer.update()
bpy.ops.fracture.drop(height=1.0)
