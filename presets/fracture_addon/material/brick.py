import bpy

# A fired clay brick, without mortar. Flexural strength 3 MPa (2 to 5).
fracture = bpy.context.object.fracture

fracture.material_name = "Brick"

# kg/m3; usual for clay brick; assumed
fracture.density = 1800.0

# Pa; 5 to 16 GPa; E about 400 x compressive strength: Vermeltfoort, masonry.org.uk
fracture.young_modulus = 10e9

# assumed, between 0.15 and 0.2
fracture.poisson_ratio = 0.18

# Pa; 1.5 to 4 MPa; flexural 0.10 x compressive (Noor-E-Khuda & Albermani 2019, Constr. Build. Mater. 219), over 1.29
# for direct tension (Gooch 2023)
fracture.tensile_strength = 2.5e6

# Pa; 10 to 60 MPa, a common brick; the other values follow from it
fracture.compressive_strength = 25e6

# Pa sqrt(m); 0.4 to 0.9 MPa sqrt(m); handbook value without a source of its own
fracture.toughness = 0.6e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: coarse crack faces
fracture.friction = 0.7

# 0 to 1; assumed: little bounce; an impact loses most of its energy
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 5.5e-6

# W/(m K); piping-designer.com, masonry brick at 20 degrees C
fracture.thermal_conductivity = 0.66

# J/(kg K); Engineering ToolBox, specific heat of solids
fracture.specific_heat = 900.0

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
