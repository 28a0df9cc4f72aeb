"""Points, edges, faces and cells, and the operators on them (Sweeney et al. 1991)."""
