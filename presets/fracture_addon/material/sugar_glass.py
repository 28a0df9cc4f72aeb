import bpy

# Sugar glass of films: boiled sugar that is cooled to a glass. It breaks like glass at an eighth of the stress, in
# small, light shards.
fracture = bpy.context.object.fracture

fracture.material_name = "Sugar glass"

# kg/m3; 1400 to 1550, solid sugar; handbook value, not checked against the source
fracture.density = 1450.0

# Pa; 5 to 10 GPa for dry sugar glass; handbook value, not checked against the source
fracture.young_modulus = 7e9

# 0.3; assumed, as other glassy organic solids
fracture.poisson_ratio = 0.3

# Pa; assumed: 3 to 10 MPa; no test series known
fracture.tensile_strength = 5e6

# Pa; assumed: ten times the tensile strength, as glass
fracture.compressive_strength = 50e6

# Pa sqrt(m); 0.05 to 0.15 MPa sqrt(m) for boiled sweets; handbook value, not checked against the source
fracture.toughness = 0.1e6

# fraction of the mean; as annealed glass
fracture.strength_variation = 0.17

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: smooth crack faces
fracture.friction = 0.4

# 0 to 1; assumed: light shards
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: an organic glass
fracture.thermal_expansion = 80e-6

# W/(m K); assumed: an organic glass
fracture.thermal_conductivity = 0.3

# J/(kg K); assumed: sugar
fracture.specific_heat = 1400.0

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
