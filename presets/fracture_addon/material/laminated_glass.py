import bpy

# Laminated safety glass: two annealed panes and a film of polyvinyl butyral between them. It cracks as annealed glass, and
# the film holds the pieces together until it tears. One object is the whole pane, of 8.8 mm with this film. Only the
# method Network has the film.
fracture = bpy.context.object.fracture

fracture.material_name = "Laminated glass"

# kg/m3; 8 mm of glass, 2500: makeitfrom.com, Annealed Soda-Lime Glass; 0.76 mm of film, 1070: handbook value, not
# checked against the source
fracture.density = 2380.0

# Pa; of the glass, 70 to 74 GPa: makeitfrom.com, Annealed Soda-Lime Glass; Wikipedia, Soda-lime glass (72 to 74); Scientific
# Reports, doi 10.1038/s41598-021-04045-6, table 1 (72.8)
fracture.young_modulus = 71e9

# doi 10.1038/s41598-021-04045-6, table 1 (0.222)
fracture.poisson_ratio = 0.23

# Pa; 30 to 70 MPa, depends on surface scratches: makeitfrom.com, Annealed Soda-Lime Glass
fracture.tensile_strength = 41e6

# Pa; 330 to 1000 MPa: makeitfrom.com, Annealed Soda-Lime Glass
fracture.compressive_strength = 330e6

# Pa sqrt(m); 0.7 to 0.8 MPa sqrt(m): Wikipedia, Soda-lime glass
fracture.toughness = 0.75e6

# fraction of the mean; 1.2 / m for a Weibull modulus of 7
fracture.strength_variation = 0.17

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: smooth crack faces
fracture.friction = 0.4

# 0 to 1; assumed: hard and elastic; small pieces bounce
fracture.restitution = 0.3

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; that of the panes; Callister 2007, table B.6
fracture.thermal_expansion = 9e-6

# W/(m K); CIBSE Guide A, table 3.36
fracture.thermal_conductivity = 1.05

# J/(kg K); CIBSE Guide A, table 3.36
fracture.specific_heat = 840.0

# Pa s; 0: from the size of cells
fracture.dilation_damping = 0.0

# Pa s; 0: from the size of cells
fracture.rigidity_damping = 0.0

# Pa; no prestress
fracture.tempering = 0.0

# m; usual: two layers of 0.38 mm; Challenging Glass 7 (2020), doi 10.7480/cgc.7.4440, measured films of this thickness
fracture.film_thickness = 0.00076

# m; no bars
fracture.bar_diameter = 0.0

# look of crack faces: homogeneous, so that cracks have no preferred direction
fracture.relief = "CONCHOIDAL"
