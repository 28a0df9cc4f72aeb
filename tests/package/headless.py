"""Runs inside a real Blender: installs the extension and runs tests on it instead of on the checkout.

``blender -b --python headless.py -- ZIP SITE FILES``; SITE is a folder with pytest, and FILES are of tests/blender.
"""

import importlib
import os
import pkgutil
import shutil
import sys
from pathlib import Path

import bpy

PACKAGE = "bl_ext.user_default.fracture_addon.fracture_addon"
ROOT = Path(__file__).resolve().parents[2]


def main(archive: str, site: str, *files: str) -> int:
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    installed = importlib.import_module(PACKAGE)
    # What the tests import as fracture_addon is the installed package, the very same modules.
    names = [PACKAGE, *(module.name for module in pkgutil.walk_packages(installed.__path__, f"{PACKAGE}."))]
    for name in names:
        sys.modules[f"fracture_addon{name.removeprefix(PACKAGE)}"] = importlib.import_module(name)
    sys.path += [site, str(ROOT)]
    hand_on_compiled_code()
    import pytest

    options = ["-q", "-p", "no:cacheprovider", "-m", "not once", "--rootdir", str(ROOT)]
    return pytest.main([*options, *files])


def hand_on_compiled_code() -> None:
    """Give the tests what earlier tests compiled in this Blender."""
    from fracture_addon.blender.process import user_cache
    from tests import compiled_code

    # A folder of its own: tests with another 3.13 keep their code in the folder of that version.
    os.environ["FRACTURE_COMPILED"] = str(ROOT / ".cache" / "compiled-blender")
    compiled = user_cache.find().folder / user_cache.COMPILED
    if compiled.is_dir():
        shutil.copytree(compiled, compiled_code.keep(), dirs_exist_ok=True)


if main(*sys.argv[sys.argv.index("--") + 1 :]):
    raise SystemExit(1)
