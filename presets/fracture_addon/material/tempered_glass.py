import bpy

# Toughened safety glass: annealed glass with a prestress. A crack has to overcome the compression of the surface, 100
# MPa, and the strength of the glass beneath, 41 MPa. The energy of the prestress then breaks all of it into dice. The
# method Lattice ignores the prestress.
fracture = bpy.context.object.fracture

fracture.material_name = "Tempered glass"

# kg/m3; makeitfrom.com, Annealed Soda-Lime Glass
fracture.density = 2500.0

# Pa; as annealed glass: makeitfrom.com, Annealed Soda-Lime Glass
fracture.young_modulus = 71e9

# as annealed glass
fracture.poisson_ratio = 0.23

# Pa; of the glass beneath the compression: 30 to 70 MPa, makeitfrom.com, Annealed Soda-Lime Glass. With the compression
# of 100 MPa a wall breaks at 141 MPa; EN 12150 asks for 120 MPa (a handbook value)
fracture.tensile_strength = 41e6

# Pa; 330 to 1000 MPa, as annealed glass: makeitfrom.com, Annealed Soda-Lime Glass
fracture.compressive_strength = 330e6

# Pa sqrt(m); as annealed glass: Wikipedia, Soda-lime glass
fracture.toughness = 0.75e6

# fraction of the mean; as annealed glass: 1.2 / m for a Weibull modulus of 7
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

# 1/K; Callister 2007, table B.6
fracture.thermal_expansion = 9e-6

# W/(m K); CIBSE Guide A, table 3.36
fracture.thermal_conductivity = 1.05

# J/(kg K); CIBSE Guide A, table 3.36
fracture.specific_heat = 840.0

# Pa s; 0: from the size of cells
fracture.dilation_damping = 0.0

# Pa s; 0: from the size of cells
fracture.rigidity_damping = 0.0

# Pa; 69 to 150 MPa, with half of it as tension in the core: EN 12150; handbook values, not checked against the source
fracture.tempering = 100e6

# m; no film
fracture.film_thickness = 0.0

# m; no bars
fracture.bar_diameter = 0.0

# look of crack faces: homogeneous, so that cracks have no preferred direction
fracture.relief = "CONCHOIDAL"
