"""Lattices that deform for the whole shot."""
