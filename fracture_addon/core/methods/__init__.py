"""Fracture methods: their interface, the table of methods, and code that they share."""
