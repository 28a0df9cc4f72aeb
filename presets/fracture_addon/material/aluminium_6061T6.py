import bpy

# Structural aluminium. Impacts dent it; a network and a lattice break at the energy that plastic flow would take.
fracture = bpy.context.object.fracture

fracture.material_name = "Aluminium 6061T6"

# kg/m3; handbook value, not checked against the source
fracture.density = 2700.0

# Pa; handbook value, not checked against the source
fracture.young_modulus = 69e9

# handbook value, not checked against the source
fracture.poisson_ratio = 0.33

# Pa; true stress at the ultimate strength of 310 MPa and 12 % elongation: 310 times 1.12; handbook value, not checked
# against the source
fracture.tensile_strength = 347e6

# Pa; assumed: three times the tensile strength, because it flows instead of crushing
fracture.compressive_strength = 1000e6

# Pa sqrt(m); 14 to 30 MPa sqrt(m); handbook value, not checked against the source
fracture.toughness = 29e6

# fraction of the mean; assumed: small scatter of metals
fracture.strength_variation = 0.05

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: dry metal on metal
fracture.friction = 0.5

# 0 to 1; assumed: it yields less than soft aluminium
fracture.restitution = 0.3

# Pa; handbook value, not checked against the source
fracture.yield_strength = 276e6

# Pa; from the yield of 276 MPa to a true 347 MPa over 12 % elongation: 71 MPa over 0.12
fracture.hardening = 590e6

# elongation at break; handbook value, not checked against the source
fracture.plastic_limit = 0.12

# 1/K; handbook value, not checked against the source
fracture.thermal_expansion = 23.6e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 167.0

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 896.0

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
