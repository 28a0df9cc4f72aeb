"""Which part of space is whose, and what the walls between look like; ``core.fragments`` cuts."""
