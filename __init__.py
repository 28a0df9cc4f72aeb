"""Fracture: shatters meshes by the forces in their material.

Blender demands this file beside the manifest. It imports nothing until Blender asks, so that tools which meet it under
another name (a test runner in a checkout) do no harm.
"""


def register():
    """Add everything to Blender."""
    from .fracture_addon.blender import registration

    registration.register(__package__)


def unregister():
    """Take everything out again."""
    from .fracture_addon.blender import registration

    registration.unregister()
