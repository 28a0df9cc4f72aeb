"""How exact the fragments of every clean mesh are with every method: a table, by hand.

python -m tests.exactness_table [--cells N] [--load TIMES] [--relief KIND] [FILE.obj=HEIGHT ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.meshing.repair.repair import prepare
from fracture_addon.core.methods.table import METHODS
from tests import exactness, shapes

COLUMNS = (
    "mesh | method | pieces | open | pinched | volume | area | distance | values | normals, degrees | wrong faces | "
    "empty faces | slivers | CPU s | at fault"
)


def main() -> int:
    """Print the table; 1 where anything is greater than it may be."""
    parser = argparse.ArgumentParser(prog="python -m tests.exactness_table", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE.obj=HEIGHT", help="instead of the meshes of tests/meshes")
    parser.add_argument("--cells", type=int, default=Settings.cell_count)
    parser.add_argument("--load", type=float, default=8.0, help="over what just breaks it; default 8")
    parser.add_argument("--relief", default=Settings.relief)
    parser.add_argument("--methods", default=",".join(METHODS))
    asked = parser.parse_args()
    _tell(f"{COLUMNS} |\n|{'---|' * (len(COLUMNS.split('|')) - 1)}---")
    faults = 0
    for name, surface in _meshes(asked.files):
        for method in asked.methods.split(","):
            settings = Settings.of(method=method, cell_count=asked.cells, relief=asked.relief, repair=True)
            faults += _row(name, exactness.dressed(surface), settings, asked.load)
    return int(faults > 0)


def _meshes(files: list[str]) -> Iterator[tuple[str, Surface]]:
    for name in () if files else (*shapes.CLEAN, *shapes.SEVERAL, *shapes.BROKEN):
        yield name, shapes.shipped(name)
    for file in files:
        path, height = file.rsplit("=", 1)
        yield Path(path).stem, shapes.read_obj(Path(path), float(height))


def _row(name: str, surface: Surface, settings: Settings, load: float) -> bool:
    start = time.process_time()
    try:
        surface = exactness.numbered(prepare(surface, name, True)[0])
        pieces = exactness.struck(surface, settings, load)
    except FractureError as error:
        _tell(f"{name} | {settings.method} | {error}")
        return True
    seconds = time.process_time() - start
    found = exactness.measure(surface, pieces, settings.pieces.dust_volume * volume(surface))
    _tell(
        f"{name} | {settings.method} | {len(pieces)} | {found.open_fragments} | {found.pinched_fragments} | "
        f"{found.volume:.0e} | {found.area:.0e} | {found.distance:.0e} | {found.corner_values:.0e} | "
        f"{found.normal_angle:.0e} | {found.wrong_face_values} | {found.empty_faces} | {found.slivers} | "
        f"{seconds:.0f} | {', '.join(found.faults)}"
    )
    return bool(found.faults)


def _tell(row: str) -> None:
    sys.stdout.write(f"| {row} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
