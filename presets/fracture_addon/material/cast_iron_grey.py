import bpy

# Grey cast iron EN-GJL-250: stoves, radiators, machine beds. Graphite flakes make it brittle; its flow of less than 1
# % is left out.
fracture = bpy.context.object.fracture

fracture.material_name = "Cast iron grey"

# kg/m3; makeitfrom.com, EN-JL 1040 Grey Cast Iron: 7500; EN 1561 handbooks: 7200
fracture.density = 7200.0

# Pa; 103 to 118 GPa for EN-GJL-250 (EN 1561); handbook value, not checked against the source
fracture.young_modulus = 110e9

# 0.26 to 0.29: makeitfrom.com, EN-JL 1040 Grey Cast Iron
fracture.poisson_ratio = 0.26

# Pa; makeitfrom.com, EN-JL 1040 Grey Cast Iron; 250 to 350 MPa: metals-china.com, DIN EN 1561
fracture.tensile_strength = 250e6

# Pa; makeitfrom.com, EN-JL 1040 Grey Cast Iron
fracture.compressive_strength = 860e6

# Pa sqrt(m); makeitfrom.com, EN-JL 1040 Grey Cast Iron
fracture.toughness = 15e6

# fraction of the mean; assumed: the strength depends on the wall thickness of the casting
fracture.strength_variation = 0.1

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough castings
fracture.friction = 0.5

# 0 to 1; assumed: stiff, with much damping by graphite
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 10.8e-6

# W/(m K); material-properties.org
fracture.thermal_conductivity = 53.0

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 490.0

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

# look of crack faces: grains of metal
fracture.relief = "GRANULAR"
