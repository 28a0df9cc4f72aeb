import bpy

# Dense floor tile, porcelain stoneware. Flexural strength 45 MPa (35 to 60).
fracture = bpy.context.object.fracture

fracture.material_name = "Ceramic tile"

# kg/m3; handbook value, not checked against the source: ISO 13006 group BIa (flexural at least 35 MPa)
fracture.density = 2350.0

# Pa; 50 to 75 GPa; handbook value, not checked against the source: ISO 13006 group BIa (flexural at least 35 MPa)
fracture.young_modulus = 70e9

# handbook value, not checked against the source: ISO 13006 group BIa (flexural at least 35 MPa)
fracture.poisson_ratio = 0.2

# Pa; 20 to 40 MPa; handbook value, not checked against the source: ISO 13006 group BIa (flexural at least 35 MPa)
fracture.tensile_strength = 30e6

# Pa; 200 to 500 MPa; handbook value, not checked against the source: ISO 13006 group BIa (flexural at least 35 MPa)
fracture.compressive_strength = 350e6

# Pa sqrt(m); 1.0 to 1.6 MPa sqrt(m); handbook value without a source of its own
fracture.toughness = 1.3e6

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

# 1/K; handbook value, not checked against the source; stoneware
fracture.thermal_expansion = 6e-6

# W/(m K); CIBSE Guide A, table 3.36, glazed ceramic
fracture.thermal_conductivity = 1.4

# J/(kg K); CIBSE Guide A, table 3.36, glazed ceramic
fracture.specific_heat = 840.0

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

# look of crack faces: a porous body under its glaze
fracture.relief = "GRANULAR"
