"""Icons of the toolbar, and the program that makes them."""
