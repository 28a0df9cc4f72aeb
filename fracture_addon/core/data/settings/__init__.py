"""Settings of a body: one table of groups, from which the panel, the command line and the guide are generated."""
