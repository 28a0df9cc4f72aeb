import bpy

# Soft, nearly pure aluminium. Impacts dent it; a network and a lattice break at the energy that plastic flow would take.
fracture = bpy.context.object.fracture

fracture.material_name = "Aluminium soft 1050"

# kg/m3; handbook value, not checked against the source
fracture.density = 2700.0

# Pa; handbook value, not checked against the source
fracture.young_modulus = 69e9

# handbook value, not checked against the source
fracture.poisson_ratio = 0.33

# Pa; true stress at the ultimate strength of 75 MPa and 35 % elongation: 75 times 1.35; handbook value, not checked
# against the source
fracture.tensile_strength = 100e6

# Pa; assumed: three times the tensile strength, because it flows instead of crushing
fracture.compressive_strength = 300e6

# Pa sqrt(m); handbook value, not checked against the source
fracture.toughness = 35e6

# fraction of the mean; assumed: small scatter of metals
fracture.strength_variation = 0.05

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: dry metal on metal
fracture.friction = 0.5

# 0 to 1; assumed: it dents
fracture.restitution = 0.1

# Pa; handbook value, not checked against the source
fracture.yield_strength = 35e6

# Pa; from the yield of 35 MPa to a true 101 MPa over 35 % elongation: 66 MPa over 0.35
fracture.hardening = 190e6

# elongation at break; handbook value, not checked against the source
fracture.plastic_limit = 0.35

# 1/K; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 24e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 229.0

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

# look of crack faces: torn metal is dull
fracture.relief = "GRANULAR"
