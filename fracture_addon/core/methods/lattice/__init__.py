"""Spring lattices: Norton et al. 1991 and Sweeney et al. 1991."""
