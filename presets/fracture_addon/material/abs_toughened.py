import bpy

# Tough plastic, as in toys. Impacts dent it; a network and a lattice break at the energy that plastic flow would take.
fracture = bpy.context.object.fracture

fracture.material_name = "Abs toughened"

# kg/m3; handbook value, not checked against the source
fracture.density = 1050.0

# Pa; 1.8 to 2.6 GPa; handbook value, not checked against the source
fracture.young_modulus = 2.2e9

# handbook value, not checked against the source
fracture.poisson_ratio = 0.37

# Pa; true stress at the yield of 40 MPa and 20 % elongation: 40 times 1.2
fracture.tensile_strength = 48e6

# Pa; assumed: three times the tensile strength, because it flows instead of crushing
fracture.compressive_strength = 150e6

# Pa sqrt(m); 1.5 to 4 MPa sqrt(m); handbook value, not checked against the source
fracture.toughness = 2.5e6

# fraction of the mean; assumed: small scatter of moulded parts
fracture.strength_variation = 0.05

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed
fracture.friction = 0.4

# 0 to 1; assumed: toys bounce
fracture.restitution = 0.4

# Pa; 30 to 50 MPa; handbook value, not checked against the source
fracture.yield_strength = 40e6

# Pa; from 40 MPa to a true 48 MPa over 20 % elongation: 8 MPa over 0.2
fracture.hardening = 40e6

# elongation at break; handbook value, not checked against the source
fracture.plastic_limit = 0.2

# 1/K; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 74e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.2

# J/(kg K); handbook value, not checked against the source
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

# look of crack faces: no grain
fracture.relief = "SMOOTH"
