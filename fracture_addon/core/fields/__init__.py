"""Values at any point: strength, noise, painted weights, moving air."""
