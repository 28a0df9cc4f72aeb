"""Crack criterion, crack planes, and remeshing along cracks."""
