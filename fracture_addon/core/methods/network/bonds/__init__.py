"""Bonds between cells: over the whole shared face, or between point masses."""
