import bpy

# Structural concrete without reinforcement, mean cylinder strength 38 MPa.
fracture = bpy.context.object.fracture

fracture.material_name = "Concrete C30"

# kg/m3; usual for plain concrete
fracture.density = 2400.0

# Pa; 28 to 38 GPa; 21.5 GPa (fcm / 10)^(1/3): CEB-FIP Model Code 1990 as given in the DIANA manual
fracture.young_modulus = 33.6e9

# usual for uncracked concrete: CEB-FIP Model Code 1990 as given in the DIANA manual
fracture.poisson_ratio = 0.2

# Pa; 2 to 4 MPa; 1.4 MPa (fck / 10)^(2/3): CEB-FIP Model Code 1990 as given in the DIANA manual
fracture.tensile_strength = 2.9e6

# Pa; 30 to 45 MPa; fcm = fck + 8 MPa: CEB-FIP Model Code 1990 as given in the DIANA manual
fracture.compressive_strength = 38e6

# Pa sqrt(m); 0.7 to 1.6 MPa sqrt(m); below sqrt(E G_F) = 1.6, G_F = 76 J/m2 (60 to 130): 0.030 N/mm (fcm / 10)^0.7:
# CEB-FIP Model Code 1990 as given in the DIANA manual
fracture.toughness = 1.2e6

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

# 1/K; 9.8 to 14.5; Engineering ToolBox, linear thermal expansion
fracture.thermal_expansion = 10e-6

# W/(m K); EN ISO 10456, concrete of 2200 kg/m3
fracture.thermal_conductivity = 1.65

# J/(kg K); handbook value, not checked against the source
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

# look of crack faces: the crack runs around stones
fracture.relief = "STONY"
