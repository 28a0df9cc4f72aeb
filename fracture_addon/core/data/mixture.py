"""Values of the cells and bonds of a solid that consists of several materials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from .arrays import ReadOnlyArrays

# Value of ``Mixture.joints`` for a face inside an object.
NO_JOINT = -1
# Value of ``Mixture.joints`` for a tie: reinforcement beside a face, in the method Network.
TIE = -2


@dataclass(frozen=True)
class Mixture(ReadOnlyArrays):
    """Values of the C cells and F shared faces of a solid of several materials; they replace those of one material.

    Attributes:
        densities: (C,) kg/m3.
        strengths: (F,) Pa, tensile strength with its scatter and fields.
        young_moduli, shear_moduli: (F,) Pa, stiffness of the bond over its whole thickness.
        compression_factors: (F,) compressive strength over tensile strength.
        size_effects: (F,) strength beside a crack over that away from cracks, 0 to 1.
        joints: (F,) int32, row of ``Job.bonds`` of a face between two objects; ``NO_JOINT`` inside an object,
            ``TIE`` for a tie.
    """

    densities: np.ndarray
    strengths: np.ndarray
    young_moduli: np.ndarray
    shear_moduli: np.ndarray
    compression_factors: np.ndarray
    size_effects: np.ndarray
    joints: np.ndarray

    @classmethod
    def joined(cls, mixtures: Sequence[Mixture]) -> Mixture:
        """Return the values of several solids, one after another."""
        return cls(*(np.concatenate([getattr(item, name.name) for item in mixtures]) for name in fields(cls)))

    def of(self, cells: np.ndarray, faces: np.ndarray) -> Mixture:
        """Return the values of some cells and faces, chosen by rows or by masks."""
        names = [item.name for item in fields(self) if item.name != "densities"]
        return Mixture(self.densities[cells], **{name: getattr(self, name)[faces] for name in names})
