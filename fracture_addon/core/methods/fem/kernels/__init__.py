"""Compiled loops over elements and nodes."""
