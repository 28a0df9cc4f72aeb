"""The hierarchy of points, edges, faces and cells, and its operators (Sweeney et al. 1991)."""
