"""How bodies break: the interface of a method, the table of methods, and what they share."""
