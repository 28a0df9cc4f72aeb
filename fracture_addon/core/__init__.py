"""The simulation: numpy, scipy, numba, rapier3d and manifold3d; no Blender in here.

Everything is in SI units (metres, kilograms, seconds, pascals), ``float64`` and ``int32``, one row an entity.
"""

from .storage import compiled_code

# Before any module with compiled functions can be imported.
compiled_code.install()
