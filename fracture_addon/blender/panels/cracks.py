"""Panels for crack growth, crack faces, and the variation of strength."""

from __future__ import annotations

from typing import Any

import bpy

from .section import Section

# Settings that apply only to rough crack faces.
ROUGH = ("relief_size", "fractal_depth")


class FRACTURE_PT_cracks(Section, bpy.types.Panel):
    """Crack growth, as far as the method has settings for it."""

    bl_label = "Cracks"

    def draw(self, context: Any) -> None:
        """Draw the settings of the object's method."""
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
    """Relief, detail and chips of crack faces."""

    bl_label = "Crack Faces"

    def draw(self, context: Any) -> None:
        """Draw the relief, its detail, and the chips."""
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
    """Variation of strength and density, and tempering."""

    bl_label = "Strength"

    def draw(self, context: Any) -> None:
        """Draw the noise, the settings of the method Network only, and tempering."""
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
            tempering.use_property_split = False  # a split row would cut the unit off the name
            tempering.prop(group, "tempering_mpa")
            if group.method == "FEM":
                tempering.prop(group, "separation_force")


CLASSES = (FRACTURE_PT_cracks, FRACTURE_PT_crack_faces, FRACTURE_PT_strength)
