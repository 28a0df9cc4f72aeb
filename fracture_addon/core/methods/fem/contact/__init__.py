"""Contact of elements with one another and with obstacles, and loads."""
