"""The steps of a run, from a body to its recorded pieces; ``core.timeline`` leads."""
