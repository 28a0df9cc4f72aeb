"""The core and the worker run without Blender."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import fracture_addon.core
import fracture_addon.farm

ROOT = Path(__file__).resolve().parents[2]
CORE = [module.name for module in pkgutil.walk_packages(fracture_addon.core.__path__, "fracture_addon.core.")]
FARM = [module.name for module in pkgutil.walk_packages(fracture_addon.farm.__path__, "fracture_addon.farm.")]


def imported(*names: str) -> subprocess.CompletedProcess:
    """Imports modules in a Python in which importing Blender's modules fails."""
    code = (
        "import sys, importlib\n"
        "for name in ('bpy', 'bmesh', 'mathutils', 'bpy_extras'): sys.modules[name] = None\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
    )
    return subprocess.run([sys.executable, "-c", code, *names], cwd=ROOT, capture_output=True, text=True)


def test_core_worker_and_farm_import_without_blender():
    assert len(CORE) > 30
    ended = imported(*CORE, *FARM, "fracture_addon.worker")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("name", ["bpy", "mathutils", "fracture_addon.blender.read.mesh"])
def test_the_block_holds(name):
    ended = imported(name)
    assert ended.returncode != 0
    assert "import of" in ended.stderr


def test_tests_have_the_folders_of_core():
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")}
    core = Path(fracture_addon.core.__file__).parent
    packages = {path.parent.relative_to(core) for path in core.rglob("*.py") if path.name != "__init__.py"}
    assert sorted(map(str, folders - packages - {Path()})) == []
    assert sorted(map(str, packages - folders)) == []
