import bpy

# Volcanic glass.
fracture = bpy.context.object.fracture

fracture.material_name = "Obsidian"

# kg/m3; handbook value, not checked against the source: Husien 2010, MSc thesis, Oklahoma State University
fracture.density = 2400.0

# Pa; 65 to 75 GPa; handbook value, not checked against the source: Husien 2010, MSc thesis, Oklahoma State University
fracture.young_modulus = 70e9

# handbook value, not checked against the source: Husien 2010, MSc thesis, Oklahoma State University
fracture.poisson_ratio = 0.2

# Pa; 30 to 60 MPa; handbook value, not checked against the source: Husien 2010, MSc thesis, Oklahoma State University
fracture.tensile_strength = 45e6

# Pa; 200 to 900 MPa; handbook value, not checked against the source: Husien 2010, MSc thesis, Oklahoma State
# University
fracture.compressive_strength = 400e6

# Pa sqrt(m); 0.7 to 1.1 MPa sqrt(m); handbook value, not checked against the source: Husien 2010, MSc thesis,
# Oklahoma State University
fracture.toughness = 0.85e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: smooth crack faces
fracture.friction = 0.4

# 0 to 1; assumed: hard and elastic
fracture.restitution = 0.3

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: as silicate glass
fracture.thermal_expansion = 8e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 1.2

# J/(kg K); glass; Engineering ToolBox, specific heat of solids
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

# look of crack faces: homogeneous, so that cracks have no preferred direction
fracture.relief = "CONCHOIDAL"
