# Name: Wall Hit by a Heavy Ball (O'Brien 1999)
# Figure 9, wall 2: the same wall under a ball 50 times as heavy.
# O'Brien and Hodgins 1999, table 1: Lame constants 0 and 1.81e+08 Pa, viscosities 0 and 18090 Pa s, the rest as
# for the first wall.
from pathlib import Path

import bpy

bpy.utils.execfile(str(Path(__file__).with_name("obrien_wall_1.py")))
fracture = bpy.context.object.fracture
fracture.young_modulus, fracture.poisson_ratio = 3.62e8, 0.0
fracture.dilation_damping, fracture.rigidity_damping = 0, 18090
bpy.context.scene.collection.objects[-1].rigid_body.mass *= 50.0
