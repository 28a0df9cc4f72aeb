"""Who moves, who breaks, and what is recorded."""
