"""The lattice method: point masses joined by springs that break (Norton et al. 1991, Sweeney et al. 1991)."""
