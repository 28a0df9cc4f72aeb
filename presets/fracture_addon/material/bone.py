import bpy

# Dry cortical bone: skulls, antlers, old bones. Fresh bone is tougher. The grain runs along the bone.
fracture = bpy.context.object.fracture

fracture.material_name = "Bone"

# kg/m3; 1800 to 2000; handbook value, not checked against the source
fracture.density = 1900.0

# Pa; 6 to 45 GPa, usual 15: encyclopedia.pub, entry 53001
fracture.young_modulus = 15e9

# 0.3; handbook value, not checked against the source
fracture.poisson_ratio = 0.3

# Pa; across the bone, 50 MPa, 30 to 60; along it 15 to 300 MPa, usual 150: encyclopedia.pub, entry 53001; the value
# across: handbook value, not checked against the source
fracture.tensile_strength = 50e6

# Pa; encyclopedia.pub, entry 53001
fracture.compressive_strength = 250e6

# Pa sqrt(m); 2 to 5 MPa sqrt(m) for a crack along the bone; handbook value, not checked against the source
fracture.toughness = 2.5e6

# fraction of the mean; assumed: natural material
fracture.strength_variation = 0.15

# 150 MPa along over 50 MPa across
fracture.grain_strength_ratio = 3.0

# 17.0 GPa along over 11.5 GPa across; Reilly and Burstein 1975, not checked against the source
fracture.grain_stiffness_ratio = 17.0 / 11.5

# Coulomb; assumed: dry bone
fracture.friction = 0.4

# 0 to 1; assumed: stiff and light
fracture.restitution = 0.3

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; handbook value, not checked against the source; across the grain
fracture.thermal_expansion = 27e-6

# W/(m K); handbook value, not checked against the source; cortical bone
fracture.thermal_conductivity = 0.4

# J/(kg K); handbook value, not checked against the source; cortical bone
fracture.specific_heat = 1300.0

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

# look of crack faces: fibres along the grain
fracture.relief = "SPLINTERED"
