"""Bodies that deform for the whole shot."""
