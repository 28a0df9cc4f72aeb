"""Compiled (numba) loops over elements and nodes."""
