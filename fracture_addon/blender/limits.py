"""Limits of settings that the command line checks at once and the panel's fields keep to."""

from __future__ import annotations

# Blender's own: what its timeline can hold.
FIRST_FRAME, LAST_FRAME = 0, 1_048_574
# Of one run: poses take 56 bytes a piece and frame, so 1,000 pieces take 1.1 GB. At 24 frames/s it is 14 minutes.
MOST_FRAMES = 20_000
# Cells of an object: below the first nothing can break into pieces; the second takes several GB and about an hour.
LEAST_CELLS, MOST_CELLS = 100, 500_000
# Bytes of a file's name: file systems take 255, Blender and the folder of deformed objects add up to 11.
MOST_NAME_BYTES = 240
# Bytes of an output's whole path: Blender cuts paths at 1,023; the folder of deformed objects and a file in it add 300.
MOST_PATH_BYTES = 700
# Bytes of an input's whole path: Blender cuts longer ones.
MOST_INPUT_BYTES = 1_023
