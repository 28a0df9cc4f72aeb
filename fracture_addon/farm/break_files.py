"""Files of a data set of breaks, in the layout of Breaking Bad (Sellan et al. 2022).

    data_split/SUBSET.train.txt                         meshes for training, one path a line
    data_split/SUBSET.val.txt                           meshes for validation
    SUBSET/CATEGORY/MESH/fractured_0/piece_0.obj        pieces at rest, m; nothing else is in these folders
    SUBSET_labels/CATEGORY/MESH/fractured_0.npz         labels and poses of the pieces
    SUBSET_labels/CATEGORY/MESH/fractured_0.json        material, impact and figures; written last

Readers of Breaking Bad count the files of a folder to get the number of pieces, so the labels have their own folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.storage import files
from .pieces import Piece, adjacency, contacts_of

PIECE = re.compile(r"piece_(\d+)\.(obj|ply)")
FORMATS = ("obj", "ply")
# Share of the meshes that are for training. Breaking Bad uses the same.
TRAINING_SHARE = 0.8


def labels_path(folder: Path, subset: str, mesh: str, index: int) -> Path:
    """Return the path of the file that completes a break."""
    return folder / f"{subset}_labels" / mesh / f"fractured_{index}.json"


def write_split(folder: Path, subset: str, meshes: Sequence[str]) -> None:
    """Write the lists of meshes for training and validation.

    Raises:
        OSError: A file cannot be written.
    """
    place = folder / "data_split"
    place.mkdir(exist_ok=True)
    count = max(1, round(TRAINING_SHARE * len(meshes)))
    for name, part in (("train", meshes[:count]), ("val", meshes[count:])):
        with files.replacing(place / f"{subset}.{name}.txt") as path:
            path.write_text("".join(f"{subset}/{mesh}\n" for mesh in part), encoding="utf-8")


def write_break(
    folder: Path, subset: str, mesh: str, index: int, pieces: Sequence[Piece], facts: Mapping[str, Any], kind: str
) -> None:
    """Write a break. Its JSON file is the last one.

    Args:
        folder: Folder of the data set.
        subset: Name of the subset.
        mesh: ``CATEGORY/MESH``.
        index: Number of the break, from 0.
        pieces: The pieces.
        facts: Material, impact and figures, in types that JSON can write.
        kind: ``obj`` or ``ply``.

    Raises:
        OSError: A file cannot be written.
    """
    place = folder / subset / mesh / f"fractured_{index}"
    place.mkdir(parents=True, exist_ok=True)
    write = _write_obj if kind == "obj" else _write_ply
    for number, piece in enumerate(pieces):
        with files.replacing(place / f"piece_{number}.{kind}") as part:
            write(part, piece)
    for path in place.iterdir():  # a run that was killed with other settings may have left more pieces
        match = PIECE.fullmatch(path.name)
        if match and (int(match[1]) >= len(pieces) or match[2] != kind):
            path.unlink()
    final = labels_path(folder, subset, mesh, index)
    final.parent.mkdir(parents=True, exist_ok=True)
    pairs, areas = adjacency(contacts_of(pieces))
    arrays: dict[str, Any] = {f"interior_{number}": piece.interior for number, piece in enumerate(pieces)}
    centers = np.array([piece.center for piece in pieces])
    rest = np.concatenate([centers, np.tile([1.0, 0.0, 0.0, 0.0], (len(pieces), 1))], axis=1)
    with files.replacing(final.with_suffix(".npz")) as part:
        np.savez_compressed(
            part,
            adjacency=pairs,
            shared_area=areas,
            rest_pose=rest,
            broken_pose=np.array([piece.pose for piece in pieces]),
            mass=np.array([piece.mass for piece in pieces]),
            **arrays,
        )
    with files.replacing(final, sync=True) as part:
        part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _write_obj(path: Path, piece: Piece) -> None:
    points = [f"v {x!r} {y!r} {z!r}\n" for x, y, z in piece.surface.points.tolist()]
    faces = [f"f {a} {b} {c}\n" for a, b, c in (piece.surface.faces + 1).tolist()]
    path.write_text("".join(points + faces), encoding="ascii")


def _write_ply(path: Path, piece: Piece) -> None:
    """Write a binary PLY with the face property ``interior`` (1 on crack faces)."""
    surface = piece.surface
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {len(surface.points)}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(surface.faces)}\n"
        "property list uchar int vertex_indices\nproperty uchar interior\nend_header\n"
    )
    rows = np.empty(len(surface.faces), np.dtype([("count", "u1"), ("corners", "<i4", 3), ("interior", "u1")]))
    rows["count"], rows["corners"], rows["interior"] = 3, surface.faces, piece.interior
    path.write_bytes(header.encode("ascii") + surface.points.astype("<f8").tobytes() + rows.tobytes())
