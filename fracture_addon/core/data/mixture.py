"""Values of the cells and bonds of a solid that consists of several materials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .arrays import ReadOnlyArrays
from .material import Material
from .settings.settings import ModelSettings

# Value of ``Mixture.joints`` for a face inside an object.
NO_JOINT = -1
# Value of ``Mixture.joints`` for a tie: reinforcement beside a face, in the method Network.
TIE = -2


@dataclass(frozen=True)
class Part(ReadOnlyArrays):
    """One of the objects of a solid.

    Attributes:
        material: What it consists of.
        settings: Settings of its model.
    """

    material: Material
    settings: ModelSettings


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
        layers: (F, 2) Pa/m, stiffness per area of a joint alone, without the cells beside it, along its normal and
            across it; infinite where it has no thickness, and for other faces.
        part_of_cell: (C,) int32, row of ``parts``.
        parts: The objects that the solid consists of.
    """

    densities: np.ndarray
    strengths: np.ndarray
    young_moduli: np.ndarray
    shear_moduli: np.ndarray
    compression_factors: np.ndarray
    size_effects: np.ndarray
    joints: np.ndarray
    layers: np.ndarray
    part_of_cell: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    parts: tuple[Part, ...] = ()

    @classmethod
    def joined(cls, mixtures: Sequence[Mixture]) -> Mixture:
        """Return the values of several solids, one after another."""
        starts = np.cumsum([0, *(len(item.parts) for item in mixtures)])
        of_cell = [item.part_of_cell + start for item, start in zip(mixtures, starts, strict=False)]
        values = {name: np.concatenate([getattr(item, name) for item in mixtures]) for name in ("densities", *OF_FACES)}
        parts = tuple(part for item in mixtures for part in item.parts)
        return cls(**values, part_of_cell=np.concatenate(of_cell).astype(np.int32), parts=parts)

    def of(self, cells: np.ndarray, faces: np.ndarray) -> Mixture:
        """Return the values of some cells and faces, chosen by rows or by masks."""
        values = {name: getattr(self, name)[faces] for name in OF_FACES}
        return Mixture(self.densities[cells], **values, part_of_cell=self.part_of_cell[cells], parts=self.parts)


# Fields of ``Mixture`` with one row for each face.
OF_FACES = "strengths", "young_moduli", "shear_moduli", "compression_factors", "size_effects", "joints", "layers"
