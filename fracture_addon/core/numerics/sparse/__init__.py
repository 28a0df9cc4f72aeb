"""Sparse symmetric solvers: Cholesky factors by fronts, and conjugate gradients."""
