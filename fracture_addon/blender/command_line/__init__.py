"""The command line ``shatter``."""
