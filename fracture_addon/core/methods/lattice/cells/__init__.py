"""The cells of lattices: kinds, stiffness, thresholds, and filling of surfaces."""
