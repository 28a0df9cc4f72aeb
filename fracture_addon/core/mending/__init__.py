"""Surfaces put right, from the least change to the greatest; ``core.repair`` chooses."""
