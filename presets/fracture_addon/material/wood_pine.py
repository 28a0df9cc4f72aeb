import bpy

# Dry pine. By default the grain runs along the longest axis of the object.
fracture = bpy.context.object.fracture

fracture.material_name = "Wood pine"

# kg/m3; Korean pine, J. Wood Science, doi 10.1007/s10086-017-1671-y, table 1
fracture.density = 450.0

# Pa; along the grain: Korean pine, J. Wood Science, doi 10.1007/s10086-017-1671-y, table 1
fracture.young_modulus = 8.86e9

# 0 to 0.49; longitudinal-radial: Korean pine, J. Wood Science, doi 10.1007/s10086-017-1671-y, table 1
fracture.poisson_ratio = 0.433

# Pa; across the grain. The handbook's 3 MPa (2 to 5; USDA Wood Handbook, chapter 4) is that of the section of 13 cm2 of
# the standard test (ASTM D143), neither checked against its source. Strengths here are those of 0.5 cm2, where the
# weakest of fewer flaws is stronger: 3 MPa x (13 / 0.5)^(0.2 / 1.2)
fracture.tensile_strength = 5.2e6

# Pa; along the grain: Korean pine, J. Wood Science, doi 10.1007/s10086-017-1671-y, table 1. Crushing across the grain
# at 4.2 MPa is not modelled
fracture.compressive_strength = 33e6

# Pa sqrt(m); splitting along the grain, 0.2 to 0.5 MPa sqrt(m); 4 (2 to 8) across the fibres; handbook value, not
# checked against the source: USDA Wood Handbook, chapter 4
fracture.toughness = 0.35e6

# fraction of the mean; assumed: knots and rings scatter the strength
fracture.strength_variation = 0.2

# 80 MPa along (60 to 120) over 3 MPa across; handbook values, not checked against the source: USDA Wood Handbook,
# chapter 4. Bending tests along the grain have a large stressed area too, so that the ratio needs no correction
fracture.grain_strength_ratio = 80.0 / 3.0

# 8.86 GPa along over 0.71 GPa across, the mean of 0.986 radially and 0.429 tangentially: Korean pine, J. Wood Science,
# doi 10.1007/s10086-017-1671-y, table 1
fracture.grain_stiffness_ratio = 12.5

# Coulomb; assumed: splintered wood on wood
fracture.friction = 0.5

# 0 to 1; assumed: light and springy
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; along the grain; handbook value, not checked against the source
fracture.thermal_expansion = 5e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.12

# J/(kg K); handbook value, not checked against the source
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

# look of crack faces: fibres along the grain
fracture.relief = "SPLINTERED"
