"""What flows through a run: frozen dataclasses of arrays in SI units."""
