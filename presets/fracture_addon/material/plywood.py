import bpy

# Plywood of softwood. It breaks as one material: plies are not modelled, and do not peel off. Layers of changing
# strength across the board make it split between them.
fracture = bpy.context.object.fracture

fracture.material_name = "Plywood"

# kg/m3; USDA Wood Handbook, chapter 12; handbook value, not checked against the source
fracture.density = 600.0

# Pa; in the plane: 9 GPa along the face grain and 4 GPa across it, mean; handbook value, not checked against the
# source
fracture.young_modulus = 6.5e9

# 0.3; handbook value, not checked against the source
fracture.poisson_ratio = 0.3

# Pa; in the plane, 20 to 40 MPa in tension, 30 to 70 MPa in bending along the face grain; handbook value, not checked
# against the source
fracture.tensile_strength = 25e6

# Pa; in the plane, 20 to 35 MPa; it has to be above the tension here; handbook value, not checked against the source
fracture.compressive_strength = 30e6

# Pa sqrt(m); 1 to 4 MPa sqrt(m), across the plies; handbook value, not checked against the source
fracture.toughness = 2e6

# fraction of the mean; assumed: knots scatter less than in one board
fracture.strength_variation = 0.15

# no grain: crossed plies are about equally strong in both directions of the board
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: splintered wood on wood
fracture.friction = 0.5

# 0 to 1; assumed: light and springy
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: plies along and across
fracture.thermal_expansion = 10e-6

# W/(m K); EN ISO 10456, softwood
fracture.thermal_conductivity = 0.13

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 1600.0

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

# look of crack faces: fibres
fracture.relief = "SPLINTERED"
