"""Contact of lattice nodes with one another and with obstacles."""
