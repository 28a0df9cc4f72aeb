"""Queries on surfaces: nearest point, inside, rays, intersections, shells, attributes."""
