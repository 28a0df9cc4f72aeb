"""How things crack, what the cracks look like, and how strong the material is from place to place."""

from __future__ import annotations

import bpy

from .section import Section

ROUGH = ("relief_size", "fractal_depth")


class FRACTURE_PT_cracks(Section, bpy.types.Panel):
    """How cracks run, as far as the method leaves that to the artist."""

    bl_label = "Cracks"

    def draw(self, context):
        """Draw the method's own settings."""
        column, group = self.column(context)
        if group.method != "NETWORK":
            column.prop(group, "lattice" if group.method == "LATTICE" else "contact")
            return
        column.prop(group, "bonds")
        column.prop(group, "loading")
        if group.bonds == "POINT" and group.loading == "RAMP":
            column.prop(group, "load_steps")
        column.prop(group, "crack_function")
        if group.crack_function == "LOBE":
            column.prop(group, "crack_growth")
            column.prop(group, "crack_sharpness")


class FRACTURE_PT_crack_faces(Section, bpy.types.Panel):
    """What cracks look like from nearby."""

    bl_label = "Crack Faces"

    def draw(self, context):
        """Draw the relief, and what comes off its edges."""
        column, group = self.column(context)
        column.prop(group, "relief")
        column.prop(group, "roughness")
        rough = column.column()
        rough.active = group.roughness > 0.0
        for name in ROUGH:
            rough.prop(group, name)
        divided = rough.column()
        divided.active = group.fractal_depth > 0 and group.relief not in ("SMOOTH", "CONCHOIDAL")
        divided.prop(group, "fractal_amplitude")
        rough.prop(group, "face_budget")
        column.separator()
        column.prop(group, "wall_smoothing")
        column.prop(group, "chips")


class FRACTURE_PT_strength(Section, bpy.types.Panel):
    """How the strength goes from place to place."""

    bl_label = "Strength"

    def draw(self, context):
        """Draw the noise, tempering, and what only a network has: exponents, and noise in the density."""
        column, group = self.column(context)
        column.prop(group, "noise")
        noise = column.column()
        noise.active = group.noise > 0.0
        noise.prop(group, "noise_kind")
        noise.prop(group, "noise_size")
        if group.noise_kind == "THRESHOLDED":
            noise.prop(group, "noise_threshold")
        column.separator()
        if group.method == "NETWORK":
            for name in ("area_exponent", "volume_exponent", "density_noise"):
                column.prop(group, name)
        if group.method == "FEM" or (group.method == "NETWORK" and group.bonds == "FULL"):
            tempering = column.column()
            tempering.use_property_split = False  # its name would lose its unit
            tempering.prop(group, "tempering_mpa")
            if group.method == "FEM":
                tempering.prop(group, "separation_force")


CLASSES = (FRACTURE_PT_cracks, FRACTURE_PT_crack_faces, FRACTURE_PT_strength)
