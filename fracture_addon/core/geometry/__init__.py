"""Surfaces as they are: what is wrong with them, what is inside, near and behind, what they carry."""
