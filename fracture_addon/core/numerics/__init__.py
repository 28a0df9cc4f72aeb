"""Components, matching, rotations and orderings; nothing about fracture."""
