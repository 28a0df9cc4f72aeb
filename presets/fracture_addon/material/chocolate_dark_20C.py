import bpy

# Tempered dark chocolate at 20 C. Approximate values: they rise with the loading rate (Nedomova 2025).
fracture = bpy.context.object.fracture

fracture.material_name = "Chocolate dark 20C"

# kg/m3; handbook value, not checked against the source: Severa 2008, Acta Univ. Mendel.; Bikos 2023, J. Mater. Sci.
# 58, 5104
fracture.density = 1300.0

# Pa; 0.1 to 2 GPa; handbook value, not checked against the source: Severa 2008, Acta Univ. Mendel.; Bikos 2023, J.
# Mater. Sci. 58, 5104
fracture.young_modulus = 0.5e9

# handbook value, not checked against the source: Severa 2008, Acta Univ. Mendel.; Bikos 2023, J. Mater. Sci. 58, 5104
fracture.poisson_ratio = 0.35

# Pa; 0.7 to 3 MPa; handbook value, not checked against the source: Severa 2008, Acta Univ. Mendel.; Bikos 2023, J.
# Mater. Sci. 58, 5104
fracture.tensile_strength = 1.5e6

# Pa; 2 to 8 MPa; handbook value, not checked against the source: Severa 2008, Acta Univ. Mendel.; Bikos 2023, J.
# Mater. Sci. 58, 5104
fracture.compressive_strength = 4e6

# Pa sqrt(m); 0.04 to 0.15 MPa sqrt(m); handbook value, not checked against the source: Severa 2008, Acta Univ.
# Mendel.; Bikos 2023, J. Mater. Sci. 58, 5104
fracture.toughness = 0.08e6

# fraction of the mean; assumed: medium scatter; not based on a test series
fracture.strength_variation = 0.15

# no grain
fracture.grain_strength_ratio = 1.0

# no grain
fracture.grain_stiffness_ratio = 0.0

# Coulomb; assumed: slightly greasy
fracture.friction = 0.4

# 0 to 1; assumed: soft
fracture.restitution = 0.1

# Pa; 0: brittle, breaks before it yields
fracture.yield_strength = 0.0

# Pa; no plastic flow
fracture.hardening = 0.0

# no plastic flow
fracture.plastic_limit = 0.2

# 1/K; assumed: between fats and sugar
fracture.thermal_expansion = 100e-6

# W/(m K); handbook value, not checked against the source
fracture.thermal_conductivity = 0.25

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

# look of crack faces: fine texture; breaks in shells
fracture.relief = "SMOOTH"
