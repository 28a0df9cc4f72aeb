import bpy

# Sun-dried mud brick.
fracture = bpy.context.object.fracture

fracture.material_name = "Adobe"

# kg/m3; handbook value, not checked against the source: Illampas et al. 2014, Constr. Build. Mater.
fracture.density = 1700.0

# Pa; 0.05 to 1 GPa; handbook value, not checked against the source: Illampas et al. 2014, Constr. Build. Mater.
fracture.young_modulus = 0.2e9

# handbook value, not checked against the source: Illampas et al. 2014, Constr. Build. Mater.
fracture.poisson_ratio = 0.25

# Pa; 0.1 to 0.5 MPa; handbook value, not checked against the source: Illampas et al. 2014, Constr. Build. Mater.
fracture.tensile_strength = 0.2e6

# Pa; 0.5 to 4 MPa; handbook value, not checked against the source: Illampas et al. 2014, Constr. Build. Mater.
fracture.compressive_strength = 1.5e6

# Pa sqrt(m); 0.01 to 0.08 MPa sqrt(m); handbook value without a source of its own
fracture.toughness = 0.03e6

# fraction of the mean; measured scatter 59 % (ijsrp 2017), rounded down
fracture.strength_variation = 0.5

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: coarse and crumbly
fracture.friction = 0.7

# 0 to 1; assumed: almost no bounce
fracture.restitution = 0.02

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: as brick
fracture.thermal_expansion = 6e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.6

# J/(kg K); assumed: as clay; Engineering ToolBox, specific heat of solids
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
