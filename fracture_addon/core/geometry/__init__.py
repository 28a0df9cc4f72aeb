"""Queries on surfaces: nearest place, inside, rays, intersections, shells, attributes."""
