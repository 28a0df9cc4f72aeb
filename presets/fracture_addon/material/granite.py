import bpy

# Fresh, medium-grained granite.
fracture = bpy.context.object.fracture

fracture.material_name = "Granite"

# kg/m3; handbook value, not checked against the source: Atkinson & Meredith 1987, Fracture Mechanics of Rock
fracture.density = 2650.0

# Pa; 45 to 75 GPa; handbook value, not checked against the source: Atkinson & Meredith 1987, Fracture Mechanics of
# Rock
fracture.young_modulus = 55e9

# handbook value, not checked against the source: Atkinson & Meredith 1987, Fracture Mechanics of Rock
fracture.poisson_ratio = 0.25

# Pa; 7 to 15 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987, Fracture Mechanics of
# Rock
fracture.tensile_strength = 10e6

# Pa; 120 to 250 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987, Fracture Mechanics of
# Rock
fracture.compressive_strength = 180e6

# Pa sqrt(m); 1.0 to 2.0 MPa sqrt(m); handbook value, not checked against the source: Atkinson & Meredith 1987,
# Fracture Mechanics of Rock
fracture.toughness = 1.4e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: coarse crack faces
fracture.friction = 0.7

# 0 to 1; assumed: little bounce; an impact loses most of its energy
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 7.9e-6

# W/(m K); material-properties.org
fracture.thermal_conductivity = 3.2

# J/(kg K); Engineering ToolBox, specific heat of solids
fracture.specific_heat = 790.0

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
