import bpy

# Cast gypsum: mouldings, busts. Flexural strength 5 MPa (3 to 8).
fracture = bpy.context.object.fracture

fracture.material_name = "Plaster"

# kg/m3; handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993, J. Mater. Sci. 28, 3221
fracture.density = 1150.0

# Pa; 2 to 7 GPa; handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993, J. Mater. Sci. 28,
# 3221
fracture.young_modulus = 4e9

# handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993, J. Mater. Sci. 28, 3221
fracture.poisson_ratio = 0.2

# Pa; 1.5 to 4 MPa; handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993, J. Mater. Sci. 28,
# 3221
fracture.tensile_strength = 2.5e6

# Pa; 6 to 20 MPa; handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993, J. Mater. Sci. 28,
# 3221
fracture.compressive_strength = 10e6

# Pa sqrt(m); 0.1 to 0.25 MPa sqrt(m); handbook value, not checked against the source: Vekinis, Ashby & Beaumont 1993,
# J. Mater. Sci. 28, 3221
fracture.toughness = 0.14e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough crack faces on each other
fracture.friction = 0.6

# 0 to 1; assumed: soft, hardly bounces
fracture.restitution = 0.05

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; handbook value, not checked against the source
fracture.thermal_expansion = 16.4e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.4

# J/(kg K); gypsum; Engineering ToolBox, specific heat of solids
fracture.specific_heat = 1090.0

# Pa s; 0: from the size of cells
fracture.dilation_damping = 0.0

# Pa s; 0: from the size of cells
fracture.rigidity_damping = 0.0

# Pa; no prestress
fracture.tempering = 0.0

# m; no film
fracture.film_thickness = 0.0

# m; no bars
fracture.bar_diameter = 0.0

# look of crack faces: the crack runs around coarse particles and pores
fracture.relief = "GRANULAR"
