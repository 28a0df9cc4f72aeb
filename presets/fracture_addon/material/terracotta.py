import bpy

# Low-fired earthenware: flower pots, amphorae. Flexural strength 12 MPa (6 to 20).
fracture = bpy.context.object.fracture

fracture.material_name = "Terracotta"

# kg/m3; handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis 1995, Acta Metall. Mater. 43,
# 2959; Tite et al. 2001
fracture.density = 1900.0

# Pa; 5 to 25 GPa; handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis 1995, Acta Metall.
# Mater. 43, 2959; Tite et al. 2001
fracture.young_modulus = 12e9

# handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis 1995, Acta Metall. Mater. 43, 2959;
# Tite et al. 2001
fracture.poisson_ratio = 0.2

# Pa; 3 to 12 MPa; handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis 1995, Acta Metall.
# Mater. 43, 2959; Tite et al. 2001
fracture.tensile_strength = 7e6

# Pa; 15 to 80 MPa; handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis 1995, Acta Metall.
# Mater. 43, 2959; Tite et al. 2001
fracture.compressive_strength = 40e6

# Pa sqrt(m); 0.3 to 1.0 MPa sqrt(m); handbook value, not checked against the source: Kilikoglou, Vekinis & Maniatis
# 1995, Acta Metall. Mater. 43, 2959; Tite et al. 2001
fracture.toughness = 0.6e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough crack faces on each other
fracture.friction = 0.6

# 0 to 1; assumed: little bounce; an impact loses most of its energy
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; clay tile; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 5.9e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.8

# J/(kg K); clay; Engineering ToolBox, specific heat of solids
fracture.specific_heat = 920.0

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

# look of crack faces: the crack runs around coarse particles and pores
fracture.relief = "GRANULAR"
