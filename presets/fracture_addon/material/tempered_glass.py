import bpy

# Toughened safety glass. The strength includes the prestress of the skin (-100 MPa, -150 to -69; the core is under
# +50 MPa). The energy that this prestress sets free, which makes real panes burst into dice, is not a part of these
# numbers.
fracture = bpy.context.object.fracture

fracture.material_name = "Tempered glass"

# kg/m3; makeitfrom.com, Annealed Soda-Lime Glass
fracture.density = 2500.0

# Pa; as annealed glass: makeitfrom.com, Annealed Soda-Lime Glass
fracture.young_modulus = 71e9

# as annealed glass
fracture.poisson_ratio = 0.23

# Pa; 100 to 180 MPa: EN 12150 (characteristic bending strength 120, a handbook value); makeitfrom.com, soda-lime
# range to 180
fracture.tensile_strength = 120e6

# Pa; 330 to 1000 MPa, as annealed glass: makeitfrom.com, Annealed Soda-Lime Glass
fracture.compressive_strength = 330e6

# Pa sqrt(m); as annealed glass: Wikipedia, Soda-lime glass
fracture.toughness = 0.75e6

# fraction of the mean; assumed: the prestress reduces the scatter of the surface
fracture.strength_variation = 0.10

# no grain
fracture.grain_strength_ratio = 1.0

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

# look of crack faces: homogeneous, so that cracks have no preferred direction
fracture.relief = "CONCHOIDAL"
