# Name: Falling Letters, The End (O'Brien 1999)
# Figure 14: the letters of "The End" fall from a height and break on the floor and on one another.
# O'Brien and Hodgins 1999, table 1: Lame constants 0 and 9.21e+06 Pa, viscosities 0 and 9.2 Pa s, 705 kg/m3,
# toughness 73.6 N, for the first word. The second word has the material of the bowl of figure 13: it is stiffer, heavier
# and stronger. The paper's toughness is a force. Divided by the square of the element's edge (0.02 m here) it gives the
# strength. Sizes and speeds are not from the paper. They give an impact stress (density times speed times wave speed)
# of about two and four times the strength.
from math import pi, sqrt

import bmesh
import bpy

EDGE = 0.02
letters = []
for word, height, y in (("The", 0.26, 0.02), ("End", 0.0, 0.0)):
    for row, letter in enumerate(word):
        tilt = 0.1 * (row - 1)
        bpy.ops.object.text_add(location=(0.2 * (row - 1), y, height + 0.03 * row))
        bpy.context.object.rotation_euler = (0.5 * pi + tilt, 0.2, tilt)
        text = bpy.context.object
        text.name, text.data.body = f"{word} {letter}", letter
        text.data.align_x, text.data.size, text.data.extrude, text.data.resolution_u = "CENTER", 0.3, 0.025, 4
        letters.append(text)
bpy.context.view_layer.update()
bpy.ops.object.select_all(action="DESELECT")
for text in letters:
    text.select_set(True)
    bpy.context.view_layer.objects.active = text
    mesh = bmesh.new()
    mesh.from_mesh(text.to_mesh())
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1e-6)
    volume = abs(mesh.calc_volume())
    mesh.free()
    text.to_mesh_clear()
    fracture = text.fracture
    fracture.method, fracture.resolution = "FEM", round(6.0 * sqrt(2.0) * volume / EDGE**3)
    # The paper has no largest speed of cracks.
    fracture.crack_speed = 1e5
    fracture.strength_variation = 0.1
    if text.name.startswith("The"):
        fracture.material_name = "Plaster of the paper"
        fracture.density, fracture.young_modulus, fracture.poisson_ratio = 705, 1.842e07, 0
        fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 1.84e05, 1.84e06, 1.30e04
        fracture.dilation_damping, fracture.rigidity_damping = 0, 9.2
    else:
        fracture.material_name = "Ceramic of the paper"
        fracture.density, fracture.young_modulus, fracture.poisson_ratio = 1013, 1.058e8, 0
        fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 2.65e5, 2.65e6, 1.87e4
        fracture.dilation_damping, fracture.rigidity_damping = 0, 198

bpy.ops.fracture.drop(height=0.5)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
