"""Contact of lattice nodes with each other and with obstacles."""
