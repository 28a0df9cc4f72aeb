"""Equilibrium of what still holds, and the choice of the solver for it."""
