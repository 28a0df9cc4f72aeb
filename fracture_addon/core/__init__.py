"""The simulation: numpy, scipy, numba, rapier3d and manifold3d; no Blender in here.

Everything is in SI units (metres, kilograms, seconds, pascals), ``float64`` and ``int32``, one row an entity.
"""
