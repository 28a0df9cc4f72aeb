"""Plastic flow and softening."""
