"""Contact between elements and with obstacles, and external loads."""
