"""The simulation. It uses numpy, scipy, numba, rapier3d and manifold3d, and not Blender.

Values are in SI units (metres, kilograms, seconds, pascals). Arrays are ``float64`` or ``int32``, with one row for each
entity.
"""

from .storage import compiled_code

# Before any module with compiled functions can be imported.
compiled_code.install()
