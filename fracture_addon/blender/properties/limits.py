"""Limits of settings, for the panel and the command line."""

from __future__ import annotations

# Frames of Blender's timeline.
FIRST_FRAME, LAST_FRAME = 0, 1_048_574
# Frames of one run, 14 minutes at 24 frames/s. Poses take 56 bytes per piece and frame: 1.1 GB for 1,000 pieces.
MOST_FRAMES = 20_000
# Bytes of a file name. File systems allow 255; Blender and the folder of mesh caches add up to 11.
MOST_NAME_BYTES = 240
# Bytes of an output's full path. Blender cuts paths at 1,023; the folder of mesh caches and a file in it add 300.
MOST_PATH_BYTES = 700
# Bytes of an input's full path. Blender cuts longer ones.
MOST_INPUT_BYTES = 1_023
