import bpy

# Laboratory and oven glass with boron, annealed. It withstands three times the thermal shock of window glass.
fracture = bpy.context.object.fracture

fracture.material_name = "Borosilicate glass"

# kg/m3; ISO 3585, borosilicate glass 3.3
fracture.density = 2230.0

# Pa; ISO 3585
fracture.young_modulus = 64e9

# ISO 3585
fracture.poisson_ratio = 0.2

# Pa; assumed: as soda-lime glass, because both depend on scratches of the surface
fracture.tensile_strength = 41e6

# Pa; assumed: as soda-lime glass
fracture.compressive_strength = 330e6

# Pa sqrt(m); 0.77; handbook value, not checked against the source: Wiederhorn 1969, J. Am. Ceram. Soc. 52, 99
fracture.toughness = 0.77e6

# fraction of the mean; assumed: as soda-lime glass
fracture.strength_variation = 0.17

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: smooth crack faces
fracture.friction = 0.4

# 0 to 1; assumed: hard and elastic; small pieces bounce
fracture.restitution = 0.3

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; ISO 3585; 3.3: Callister 2007, table B.6
fracture.thermal_expansion = 3.3e-6

# W/(m K); ISO 3585
fracture.thermal_conductivity = 1.2

# J/(kg K); ISO 3585
fracture.specific_heat = 800.0

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
