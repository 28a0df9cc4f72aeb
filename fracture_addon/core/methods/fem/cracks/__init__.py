"""Separation of nodes, crack planes, and the remeshing along them."""
