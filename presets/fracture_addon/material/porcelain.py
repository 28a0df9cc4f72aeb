import bpy

# Glazed tableware. Flexural strength 70 MPa (43 to 160).
fracture = bpy.context.object.fracture

fracture.material_name = "Porcelain"

# kg/m3; handbook value, not checked against the source: Carter & Norton, Ceramic Materials
fracture.density = 2400.0

# Pa; 60 to 100 GPa; handbook value, not checked against the source: Carter & Norton, Ceramic Materials
fracture.young_modulus = 70e9

# handbook value, not checked against the source: Carter & Norton, Ceramic Materials
fracture.poisson_ratio = 0.22

# Pa; 30 to 60 MPa; handbook value, not checked against the source: Carter & Norton, Ceramic Materials
fracture.tensile_strength = 40e6

# Pa; 350 to 590 MPa: biologyinsights.com, How strong is porcelain (a popular page)
fracture.compressive_strength = 500e6

# Pa sqrt(m); 0.9 to 1.4 MPa sqrt(m); handbook value, not checked against the source: Carter & Norton, Ceramic
# Materials
fracture.toughness = 1.1e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough crack faces on each other
fracture.friction = 0.6

# 0 to 1; assumed: hard and elastic, thin shards bounce a little
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; 4.0 to 6.5; handbook value, not checked against the source
fracture.thermal_expansion = 5e-6

# W/(m K); material-properties.org
fracture.thermal_conductivity = 1.5

# J/(kg K); handbook value, not checked against the source
fracture.specific_heat = 1070.0

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

# look of crack faces: dense and vitrified, but dull
fracture.relief = "CONCHOIDAL"
