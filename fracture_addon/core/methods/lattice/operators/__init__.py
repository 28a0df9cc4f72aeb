"""The hierarchy of points, edges, faces and cells, and its gluing operator (Sweeney et al. 1991)."""
