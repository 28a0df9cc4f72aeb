"""Access to Blender's data for both reading and writing: animation curves, collections, ownership."""
