import bpy

# Frozen, ice-rich soil at about -10 degrees C under a fast load. Ice carries nearly all of the tension (95 %: Cold
# Regions Science and Technology 113, 2015, doi 10.1016/j.coldregions.2015.02.003).
fracture = bpy.context.object.fracture

fracture.material_name = "Frozen ground"

# kg/m3; 1700 to 2000; Andersland and Ladanyi, Frozen Ground Engineering; handbook value, not checked against the
# source
fracture.density = 1900.0

# Pa; 1 to 20 GPa, under a fast load; Andersland and Ladanyi; handbook value, not checked against the source
fracture.young_modulus = 5e9

# 0.3; handbook value, not checked against the source
fracture.poisson_ratio = 0.3

# Pa; 1 to 3 MPa at -10 degrees C; Andersland and Ladanyi; handbook value, not checked against the source
fracture.tensile_strength = 2e6

# Pa; 8 to 15 MPa at -10 degrees C under a fast load; Andersland and Ladanyi; handbook value, not checked against the
# source
fracture.compressive_strength = 12e6

# Pa sqrt(m); above ice with 0.1, because grains stop cracks: 0.1 to 0.5 MPa sqrt(m); handbook value, not checked
# against the source
fracture.toughness = 0.25e6

# fraction of the mean; assumed: lenses of ice and stones scatter the strength
fracture.strength_variation = 0.2

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: gritty faces
fracture.friction = 0.6

# 0 to 1; assumed: clods hardly bounce
fracture.restitution = 0.05

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: mostly ice
fracture.thermal_expansion = 40e-6

# W/(m K); material-properties.org, ice
fracture.thermal_conductivity = 2.2

# J/(kg K); assumed: ice and soil
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

# look of crack faces: the crack runs around stones
fracture.relief = "STONY"
