# Name: Teapot on Its Spout (Norton 1991)
# Norton et al. 1991, figure 7: a teapot of simple shapes, glued, falls on its spout. Body and lid are revolved curves, the
# spout is two thickened patches, each glued to the body and to the other, and the handle is swept along a curve. Profiles
# and patches after Newell (in the public domain). Size, material, softening, fall and threshold are not from the paper: with
# a Threshold of 1 more than half of the pot is in broken cells, with 1.4 it breaks into shards.
from math import cos, radians, sin
from pathlib import Path

import bpy
from mathutils import Matrix

# m: size over Newell's units, wall, radius of the handle, glue distance, drop; degrees from upright; steps of a curve.
SCALE, WALL, HANDLE, GLUE, DROP, TILT, STEPS = 0.16, 0.006, 0.007, 0.007, 0.15, 60.0, 8
PORCELAIN = str(Path(__file__).parents[1] / "material" / "porcelain.py")
# Control points of cubic Bezier curves: radius and height.
BODY = (
    (0.375, 0.863), (0.4375, 0.731), (0.5, 0.6), (0.5, 0.488), (0.5, 0.375), (0.375, 0.3191), (0.375, 0.3),
    (0.375, 0.28), (0.36, 0.27), (0.34, 0.27), (0.23, 0.27), (0.12, 0.27), (0.0, 0.27)
)  # fmt: skip
LID = ((0.0, 0.96), (0.12, 0.93), (0.3, 0.91), (0.372, 0.87))
GRIP = ((-0.38, 0.80), (-0.6, 0.80), (-0.71, 0.797), (-0.71, 0.71), (-0.71, 0.63), (-0.65, 0.52), (-0.44, 0.44))
# Upper and lower edge of the spout: distance from the axis, and height; half width of each of the four columns.
SPOUT = (
    ((0.46, 0.6189), (0.65, 0.6189), (0.575, 0.7881), (0.675, 0.863)),
    ((0.46, 0.4131), (0.775, 0.469), (0.6, 0.769), (0.825, 0.863)),
)
WIDTHS = (0.165, 0.165, 0.062, 0.062)


def bezier(controls, steps=STEPS):
    """Return points along connected cubic Bezier curves."""
    points = [controls[0]]
    for start in range(0, len(controls) - 1, 3):
        for step in range(1, steps + 1):
            u = step / steps
            weights = (1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u * u * (1 - u), u**3
            four = controls[start : start + 4]
            points.append(tuple(sum(w * p[k] for w, p in zip(weights, four, strict=True)) for k in range(len(four[0]))))
    return points


def line(name, points):
    """Return a curve through points in Newell's units."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for place, point in zip(spline.points, points, strict=True):
        place.co = (*(SCALE * x for x in point), 1.0)
    return bpy.data.objects.new(name, curve)


def half_of_spout(name, side):
    """Return a half of the spout as a mesh: a patch between the curves at its upper and its lower edge."""
    rows = [
        [(x, side * bulge * width, z) for (x, z), width in zip(edge, WIDTHS, strict=True)]
        for edge, bulge in ((SPOUT[0], 0.0), (SPOUT[0], 1.0), (SPOUT[1], 1.0), (SPOUT[1], 0.0))
    ]
    across = [bezier(row) for row in rows]
    grid = [bezier(column) for column in zip(*across, strict=True)]
    mesh, wide = bpy.data.meshes.new(name), STEPS + 1
    quads = [(k, k + 1, k + 1 + wide, k + wide) for k in range(STEPS * wide) if k % wide < STEPS]
    mesh.from_pydata([[SCALE * x for x in point] for column in grid for point in column], [], quads)
    return bpy.data.objects.new(name, mesh)


body = line("Teapot", [(x, 0.0, z) for x, z in bezier(BODY)])
lid = line("Lid", [(x, 0.0, z) for x, z in bezier(LID)])
handle = line("Handle", [(x, 0.0, z) for x, z in bezier(GRIP)])
handle.data.bevel_depth, handle.data.use_fill_caps = HANDLE, True
halves = [half_of_spout("Left Spout", 1.0), half_of_spout("Right Spout", -1.0)]
parts = [body, lid, handle, *halves]

turn = Matrix.Rotation(radians(TILT), 4, "Y")
tip = SCALE * min(z * cos(radians(TILT)) - x * sin(radians(TILT)) for x, z in SPOUT[1])
for part in parts:
    bpy.context.scene.collection.objects.link(part)
    part.matrix_world = Matrix.Translation((0.0, 0.0, DROP - tip)) @ turn
    bpy.context.view_layer.objects.active = part
    bpy.utils.execfile(PORCELAIN)
    fracture = part.fracture
    fracture.method, fracture.dynamics, fracture.softening = "LATTICE", "DEFORMABLE", 3000.0
    fracture.thickness, fracture.resolution, fracture.threshold = WALL, 1000, 1.4
for part in (body, lid):
    part.fracture.structure = "TURNED"
for part in halves:
    part.fracture.structure = "SHELL"
body.fracture.resolution, lid.fracture.resolution, handle.fracture.resolution = 6000, 3000, 600
for part in parts[1:]:
    part.fracture.glue_object, part.fracture.glue_distance = body, GLUE
glue = halves[1].fracture.more_glue.add()
glue.glue_object, glue.glue_distance = halves[0], GLUE

bpy.ops.mesh.primitive_plane_add(size=20.0)
bpy.context.object.name = "Floor"
bpy.ops.rigidbody.object_add(type="PASSIVE")
bpy.context.view_layer.objects.active = body
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
