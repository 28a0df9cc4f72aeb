"""Spring forces and the stable time step."""
