"""Shattering computed from the forces in the material."""
