"""Fields: strength, density, noise, painted weights and wind at any point."""
