import bpy

# Carrara-like white marble.
fracture = bpy.context.object.fracture

fracture.material_name = "Marble"

# kg/m3; density of calcite
fracture.density = 2710.0

# Pa; 40 to 70 GPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Rae 2021 (Carrara)
fracture.young_modulus = 50e9

# handbook value, not checked against the source: Atkinson & Meredith 1987; Rae 2021 (Carrara)
fracture.poisson_ratio = 0.27

# Pa; 5 to 10 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Rae 2021 (Carrara)
fracture.tensile_strength = 7e6

# Pa; 70 to 140 MPa; handbook value, not checked against the source: Atkinson & Meredith 1987; Rae 2021 (Carrara)
fracture.compressive_strength = 95e6

# Pa sqrt(m); 0.6 to 1.3 MPa sqrt(m); handbook value, not checked against the source: Atkinson & Meredith 1987; Rae
# 2021 (Carrara)
fracture.toughness = 0.9e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough crack faces on each other
fracture.friction = 0.6

# 0 to 1; assumed: little bounce; an impact loses most of its energy
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; matmake.com, thermal expansion of common materials
fracture.thermal_expansion = 7e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 2.8

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 880.0

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

# look of crack faces: crystals of calcite
fracture.relief = "GRANULAR"
