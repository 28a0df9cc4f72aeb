"""Blender's side: the only package that imports bpy."""
