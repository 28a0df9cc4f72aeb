import bpy

# Nephrite jade, the toughest of common stones.
fracture = bpy.context.object.fracture

fracture.material_name = "Jade nephrite"

# kg/m3; handbook value
fracture.density = 2980.0

# Pa; 120 to 150 GPa; handbook value
fracture.young_modulus = 130e9

# handbook value
fracture.poisson_ratio = 0.26

# Pa; 100 to 212 MPa; handbook value
fracture.tensile_strength = 150e6

# Pa; 300 to 700 MPa; handbook value
fracture.compressive_strength = 400e6

# Pa sqrt(m); 6 to 8 MPa sqrt(m); sqrt(2 E gamma) with a fracture surface energy of 225 J/m2: Bradt, Newnham & Biggers
# 1973, Am. Mineral. 58, 727
fracture.toughness = 7.7e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough crack faces on each other
fracture.friction = 0.6

# 0 to 1; assumed: hard
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: as other silicate rocks
fracture.thermal_expansion = 8e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 3.0

# J/(kg K); amphibole; Engineering ToolBox, specific heat of solids
fracture.specific_heat = 800.0

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

# look of crack faces: matted fibres in all directions
fracture.relief = "GRANULAR"
