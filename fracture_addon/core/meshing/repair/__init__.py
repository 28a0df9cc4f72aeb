"""Repair of surfaces, from the smallest change to the largest."""
