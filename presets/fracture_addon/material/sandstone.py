import bpy

# A medium-strength, dry sandstone. Natural stone varies widely.
fracture = bpy.context.object.fracture

fracture.material_name = "Sandstone"

# kg/m3; usual for sandstone; handbook value, not checked against the source: Atkinson & Meredith 1987; Padmanabha
# 2022, Rock Mech. Rock Eng.
fracture.density = 2300.0

# Pa; 5 to 30 GPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Padmanabha 2022, Rock
# Mech. Rock Eng.
fracture.young_modulus = 15e9

# handbook value, not checked against the source: Atkinson & Meredith 1987; Padmanabha 2022, Rock Mech. Rock Eng.
fracture.poisson_ratio = 0.2

# Pa; 2 to 8 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Padmanabha 2022, Rock
# Mech. Rock Eng.
fracture.tensile_strength = 4e6

# Pa; 20 to 120 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Padmanabha 2022, Rock
# Mech. Rock Eng.
fracture.compressive_strength = 60e6

# Pa sqrt(m); 0.3 to 1.0 MPa sqrt(m); handbook value, not checked against the source: Atkinson & Meredith 1987;
# Padmanabha 2022, Rock Mech. Rock Eng.
fracture.toughness = 0.6e6

# fraction of the mean; assumed: bedding and pores scatter the strength
fracture.strength_variation = 0.2

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

# 1/K; handbook value, not checked against the source
fracture.thermal_expansion = 11.6e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 2.3

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 920.0

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
