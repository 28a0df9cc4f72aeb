import bpy

# The bond of a mortar bed to brick, at which walls crack; not the mortar itself.
fracture = bpy.context.object.fracture

fracture.material_name = "Mortar joint"

# kg/m3; usual for lime-cement mortar; assumed
fracture.density = 1800.0

# Pa; 1 to 8 GPa; handbook value
fracture.young_modulus = 3e9

# assumed
fracture.poisson_ratio = 0.2

# Pa; direct bond strength, 0.05 to 0.5 MPa; handbook value. Flexural bond is 2.06 times that: Gooch 2023
fracture.tensile_strength = 0.2e6

# Pa; 2 to 15 MPa; handbook value
fracture.compressive_strength = 5e6

# Pa sqrt(m); 0.03 to 0.2 MPa sqrt(m); handbook value without a source of its own
fracture.toughness = 0.1e6

# fraction of the mean; coefficient of variation 0.315 of bond strength: Gooch 2023
fracture.strength_variation = 0.32

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: sandy faces
fracture.friction = 0.75

# 0 to 1; assumed: almost no bounce
fracture.restitution = 0.02

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; cement; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 10e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.9

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 900.0

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
