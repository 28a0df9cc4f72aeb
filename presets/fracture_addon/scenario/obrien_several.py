# Name: Falling Objects That Break One Another (O'Brien 1999)
# Figure 14: several objects that fall from a height and break one another.
# O'Brien and Hodgins 1999, table 1: Lame constants 0 and 9.21e+06 Pa, viscosities 0 and 9.2 Pa s, 705 kg/m3,
# toughness 73.6 N. The paper's toughness is a force. Divided by the square of the element's edge (0.02 m here) it gives
# the strength. Sizes and speeds are not from the paper. They give an impact stress (density times speed times wave
# speed) of about twice the strength.
import bpy

places = ((0.0, 0.0, 0.025, 0.2), (0.06, 0.025, 0.15, 0.9), (-0.05, 0.01, 0.275, -0.5), (0.01, -0.04, 0.4, 0.4))
boards = []
for row, (x, y, z, turn) in enumerate(places):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, y, z), rotation=(turn, 0.3, row), scale=(0.15, 0.125, 0.03))
    bpy.context.object.name = f"Board {row + 1}"
    boards.append(bpy.context.object)
for board in boards:
    bpy.context.view_layer.objects.active = board
    fracture = bpy.context.object.fracture
    fracture.method, fracture.resolution = "FEM", 600
    # The paper has no largest speed of cracks.
    fracture.crack_speed = 1e5
    fracture.material_name = "Plaster of the paper"
    fracture.density, fracture.young_modulus, fracture.poisson_ratio = 705, 1.842e+07, 0
    fracture.tensile_strength, fracture.compressive_strength, fracture.toughness = 1.84e+05, 1.84e+06, 1.30e+04
    fracture.strength_variation = 0.1
    fracture.dilation_damping, fracture.rigidity_damping = 0, 9.2
    board.select_set(True)

bpy.ops.fracture.drop(height=0.5)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 60
