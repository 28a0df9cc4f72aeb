import bpy

# Shell of a hen's egg, without its membrane, which holds real pieces together.
fracture = bpy.context.object.fracture

fracture.material_name = "Eggshell"

# kg/m3; 2200 to 2500; handbook value, not checked against the source
fracture.density = 2300.0

# Pa; 23 GPa (zebra finch) to 48 GPa (ostrich): Chiang et al. 2021, Biology 10:989
fracture.young_modulus = 30e9

# 0.3; handbook value, not checked against the source
fracture.poisson_ratio = 0.3

# Pa; 15 to 25 MPa over a whole shell; Hahn et al. 2017, doi 10.1098/rsif.2016.0804; handbook value, not checked
# against the source
fracture.tensile_strength = 20e6

# Pa; assumed: ten times the tensile strength, as other ceramics
fracture.compressive_strength = 200e6

# Pa sqrt(m); 0.3 to 0.7 MPa sqrt(m); handbook value, not checked against the source
fracture.toughness = 0.4e6

# fraction of the mean; assumed: pores scatter the strength
fracture.strength_variation = 0.2

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: rough, light pieces
fracture.friction = 0.5

# 0 to 1; assumed: light pieces hardly bounce
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: as limestone
fracture.thermal_expansion = 8e-6

# W/(m K); assumed: as limestone
fracture.thermal_conductivity = 2.2

# J/(kg K); Engineering ToolBox, specific heat of solids, calcite
fracture.specific_heat = 840.0

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

# look of crack faces: crystals across the shell
fracture.relief = "GRANULAR"
