"""Command ``assets``: write an asset library with the looks of the presets and the example scenes.

python -m fracture_addon assets DIR
blender --command fracture_assets DIR
"""

from __future__ import annotations

import argparse
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import WorkerError
from ...core.storage import files
from ..setup import presets
from ..write import looks
from . import arguments as shatter_arguments
from .exit_codes import DONE, exit_code
from .import_model import quiet

DESCRIPTION = """\
Write an asset library for Blender's asset browser to the folder DIR: the looks of all material presets, and the example
scenes, with a catalog for each. Older files of the library are replaced. Add DIR in Preferences > File Paths > Asset
Libraries."""
# Names of the catalogs in the asset browser. Their identifiers follow from the names, so that a new library has the
# same; files with other assets can refer to them.
MATERIALS, SCENES = "Shatter/Materials", "Shatter/Scenes"
IDENTIFIERS = uuid.UUID("5f3a1c52-8a1e-4d3b-9f0e-6b1d6f2f7c11")
# Name of Blender's file of catalogs, and of ours with the materials. A scene's file has the name of its preset.
CATALOGS_FILE, MATERIALS_FILE = "blender_assets.cats.txt", "materials.blend"


def main(argv: Sequence[str], prog: str = "assets") -> int:
    """Run the command; arguments and exit codes as for ``command.main``."""
    return exit_code(prog, lambda: _assets(_parse(list(argv), prog)), "the files that were written stay")


def _parse(argv: list[str], prog: str) -> argparse.Namespace:
    parser = shatter_arguments.Parser(prog=prog, description=DESCRIPTION)
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder of the library; it is created")
    return parser.parse_args(argv)


def _assets(arguments: argparse.Namespace) -> int:
    folder = arguments.folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with files.replacing(folder / CATALOGS_FILE) as part:
            part.write_text(catalogs(), encoding="utf-8")
        with _file(folder / MATERIALS_FILE):
            _add_materials()
        scenes = scene_files()
        for path in scenes:
            with _file(folder / f"{path.stem}.blend"):
                _add_scene(path)
    except (RuntimeError, OSError) as error:
        raise WorkerError(
            f"'{folder}' cannot be written: {' '.join(str(error).split())}; choose another folder"
        ) from error
    sys.stdout.write(f"Wrote {len(looks.LOOKS)} materials and {len(scenes)} scenes to {folder}\n")
    return DONE


def scene_files() -> list[Path]:
    """Return the presets of the scenes that the library contains."""
    return sorted(presets.shipped_folder(presets.SCENES).glob("*.py"))


def catalogs() -> str:
    """Return the text of Blender's file of catalogs."""
    lines = [f"{identifier(name)}:{name}:{name.replace('/', '-')}" for name in (MATERIALS, SCENES)]
    return "\n".join(["# Catalogs of assets, made by Fracture", "VERSION 1", "", *lines, ""])


def identifier(catalog: str) -> str:
    """Return the identifier of a catalog."""
    return str(uuid.uuid5(IDENTIFIERS, catalog))


@contextmanager
def _file(path: Path) -> Iterator[None]:
    """Begin with an empty file, and save what the ``with`` statement adds."""
    with quiet():
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        yield
        with files.replacing(path) as part:
            bpy.ops.wm.save_as_mainfile(filepath=str(part), check_existing=False, compress=True)


def _add_materials() -> None:
    """Add the look of each preset, under the name that the preset has in the menu."""
    for path in sorted(presets.shipped_folder().glob("*.py")):
        name = presets.display_name(path.name)
        if name.casefold() in looks.LOOKS:
            text = f"Look of the preset {name}. Shatter takes the preset for an object with this material"
            _mark(looks.made(name), MATERIALS, text)


def _add_scene(path: Path) -> None:
    """Build a scene, and make all its objects one collection that is an asset."""
    context: Any = bpy.context
    root, name = context.scene.collection, presets.scene_name(str(path))
    presets.build(context, path)
    made = bpy.data.collections.new(name)
    for group in ("objects", "children"):
        for item in list(getattr(root, group)):
            getattr(root, group).unlink(item)
            getattr(made, group).link(item)
    root.children.link(made)
    _mark(made, SCENES, "Objects of an example scene. Turn Instance off after dropping it, then press Shatter")


def _mark(item: Any, catalog: str, description: str) -> None:
    item.asset_mark()
    item.asset_data.catalog_id = identifier(catalog)
    item.asset_data.description = description
    item.asset_data.license = "GPL-3.0-or-later"
    item.asset_data.tags.new("Shatter")
