import bpy

# Gypsum board. The paper on its faces is not modelled, apart from the strength: a real board holds together by its
# paper after the core has cracked.
fracture = bpy.context.object.fracture

fracture.material_name = "Plaster board"

# kg/m3; 650 to 900; handbook value, not checked against the source
fracture.density = 700.0

# Pa; 2 to 3 GPa; handbook value, not checked against the source
fracture.young_modulus = 2.5e9

# 0.2 to 0.3; handbook value, not checked against the source
fracture.poisson_ratio = 0.25

# Pa; tension of 0.64 MPa across and 1.10 MPa along the board's production: Irbe et al. 2023, Engineering for Rural
# Development 22, quoting other studies; yield in bending 1.9 to 2.8 MPa there
fracture.tensile_strength = 1.1e6

# Pa; 3 to 6 MPa; handbook value, not checked against the source; Petrone et al. (University of Naples) find it
# systematically above the tensile strength
fracture.compressive_strength = 4e6

# Pa sqrt(m); as light plaster, 0.1 to 0.25 MPa sqrt(m): Vekinis, Ashby and Beaumont 1993, J. Materials Science
# 28:3221; handbook value, not checked against the source
fracture.toughness = 0.15e6

# fraction of the mean; assumed: pores and fibres scatter the strength
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: dusty faces
fracture.friction = 0.6

# 0 to 1; assumed: it crumbles instead of bouncing
fracture.restitution = 0.05

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; handbook value, not checked against the source
fracture.thermal_expansion = 16.4e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.2

# J/(kg K); gypsum; Engineering ToolBox, specific heat of solids
fracture.specific_heat = 1090.0

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

# look of crack faces: porous and dull
fracture.relief = "GRANULAR"
