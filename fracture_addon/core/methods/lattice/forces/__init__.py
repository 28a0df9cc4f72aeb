"""Forces of springs and their integration in time."""
