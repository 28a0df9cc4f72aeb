"""Finite elements that deform for the whole shot."""
