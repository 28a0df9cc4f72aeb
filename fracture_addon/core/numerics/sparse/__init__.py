"""Solvers for sparse symmetric matrices: multifrontal Cholesky factorisation and conjugate gradients."""
