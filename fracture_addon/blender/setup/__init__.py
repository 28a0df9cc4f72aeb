"""Preparation of a scene: presets, example scenes, drops, balls and impacts."""
