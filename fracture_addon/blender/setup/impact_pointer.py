"""The impact that the pointer shows: its place, strength and radius, and the lines that draw it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from mathutils import Vector

from .placing import UP

# Strength of a new impact, as a multiple of the critical load, and its limits.
STRENGTH, LEAST, MOST = 4.0, 0.1, 1000.0
# Pixels of a drag that double the strength, at an interface scale of 1; factor on the radius of one step of the wheel.
# A matter of taste.
DOUBLING_PIXELS, WHEEL = 80.0, 1.15
# Sides of the disc; length of the arrow for strength 1, over the size of the object. A matter of taste.
SIDES, LENGTH = 48, 0.15


@dataclass(frozen=True)
class ImpactPointer:
    """An impact before it is placed.

    Attributes:
        point: Point on the surface, world space.
        inward: Direction of the force: unit vector into the object.
        radius: Radius of the contact patch, scene units.
        strength: Peak load over the critical load.
    """

    point: Vector
    inward: Vector
    radius: float
    strength: float = STRENGTH

    def dragged(self, pixels: float) -> ImpactPointer:
        """Return the impact after a drag of some pixels to the right, which makes it stronger."""
        strength = self.strength * 2.0 ** (pixels / DOUBLING_PIXELS)
        return replace(self, strength=min(max(strength, LEAST), MOST))

    def widened(self, steps: int) -> ImpactPointer:
        """Return the impact after steps of the wheel; positive is wider."""
        return replace(self, radius=self.radius * WHEEL**steps)

    def lines(self, size: float) -> np.ndarray:
        """Return the ends (L, 2, 3) of the lines of the disc and the arrow, world space, scene units.

        Args:
            size: Size of the object, scene units.
        """
        turn = UP.rotation_difference(self.inward)
        angles = np.linspace(0.0, 2.0 * math.pi, SIDES + 1)
        circle = [self.point + turn @ (self.radius * Vector((math.cos(a), math.sin(a), 0.0))) for a in angles]
        length = size * LENGTH * (1.0 + math.log2(max(self.strength, 1.0)))
        tail = self.point - length * self.inward
        barbs = [
            self.point - 0.2 * length * self.inward + turn @ (0.08 * length * Vector((math.cos(a), math.sin(a), 0.0)))
            for a in angles[:: SIDES // 4]
        ]
        ends = [*itertools.pairwise(circle), (tail, self.point), *((self.point, barb) for barb in barbs[:4])]
        return np.array([[first[:], second[:]] for first, second in ends])
