"""Deformable bodies: bodies that their method simulates for the whole shot."""
