"""Equilibrium of the bonds that hold, and the choice of its linear solver."""
