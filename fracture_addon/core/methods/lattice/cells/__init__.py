"""Cells of lattices: kinds, stiffness, thresholds, and the filling of surfaces with them."""
