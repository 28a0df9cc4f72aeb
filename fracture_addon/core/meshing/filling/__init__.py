"""Filling of closed surfaces with tetrahedra on points of their own."""
