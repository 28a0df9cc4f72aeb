"""Repair of surfaces, from the smallest change to the largest: cleaning, closing, thickening, rebuild, voxels."""
