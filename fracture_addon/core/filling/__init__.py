"""Points in a surface and on it, for cells; ``core.tetrahedralize`` joins them."""
