"""Blender's side: the only room that knows bpy."""
