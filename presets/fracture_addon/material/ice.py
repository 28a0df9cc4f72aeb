import bpy

# Fresh-water ice at -10 to -20 C.
fracture = bpy.context.object.fracture

fracture.material_name = "Ice"

# kg/m3; Petrovic 2003, J. Mater. Sci., abstract (-10 to -20 C)
fracture.density = 917.0

# Pa; 8.7 to 9.9 GPa; handbook value
fracture.young_modulus = 9.3e9

# handbook value
fracture.poisson_ratio = 0.33

# Pa; 0.7 to 3.1 MPa: Petrovic 2003, J. Mater. Sci., abstract (-10 to -20 C)
fracture.tensile_strength = 1.5e6

# Pa; 5 to 25 MPa: Petrovic 2003, J. Mater. Sci., abstract (-10 to -20 C)
fracture.compressive_strength = 10e6

# Pa sqrt(m); 0.05 to 0.15 MPa sqrt(m): Petrovic 2003, J. Mater. Sci., abstract (-10 to -20 C)
fracture.toughness = 0.1e6

# fraction of the mean; 1.2 / m for a Weibull modulus of 5: Petrovic 2003, J. Mater. Sci., abstract (-10 to -20 C)
fracture.strength_variation = 0.24

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: cold ice is slippery
fracture.friction = 0.1

# 0 to 1; assumed: clear ice bounces a little
fracture.restitution = 0.2

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; handbook value, not checked against the source
fracture.thermal_expansion = 51e-6

# W/(m K); material-properties.org
fracture.thermal_conductivity = 2.22

# J/(kg K); at -20 degrees C; Engineering ToolBox, specific heat of solids
fracture.specific_heat = 2000.0

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

# look of crack faces: like glass
fracture.relief = "CONCHOIDAL"
