"""Filling of closed surfaces with tetrahedra between random points."""
