"""Runs inside a Blender of its own: installs the extension, breaks a cube with it, takes it out again.

``blender -b --python inside.py -- ZIP RESULT``, or the same with a Python that has the bpy module. RESULT is JSON.
"""

import importlib.util
import json
import sys
import time
from pathlib import Path

import bpy  # before addon_utils, which a Python with the bpy module does not find without it

import addon_utils  # isort: skip

PACKAGE = "bl_ext.user_default.fracture_addon"


def main(archive: str, result: str) -> None:
    started = time.perf_counter()
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    seconds = time.perf_counter() - started
    folder = Path(sys.modules[PACKAGE].__file__).parent
    before, code_before = files(folder), compiled_code()
    fragments = break_a_cube()
    found = {
        "blender": bpy.app.version_string,
        "install_seconds": round(seconds, 1),
        "enabled": PACKAGE in bpy.context.preferences.addons,
        "fragments": fragments,
        "sites": {name: site_of(name) for name in ("numpy", "numba", "scipy", "manifold3d", "rapier3d")},
        "changed": sorted(map(str, before ^ files(folder))),
        "shipped": (folder / "compiled").exists(),
        "compiled": len(compiled_code() - code_before),
        "warnings": warnings(),
    }
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    found["left_behind"] = [name for name in ("Object", "Scene") if hasattr(getattr(bpy.types, name), "fracture")]
    Path(result).write_text(json.dumps(found), encoding="utf-8")


def files(folder: Path) -> set:
    """All files below a folder and when they were changed; Python's own bytecode apart."""
    return {(path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def compiled_code() -> set:
    """The files of all functions that are compiled and kept in the user's folder."""
    return set(Path(bpy.utils.extension_path_user(PACKAGE, path="cache")).rglob("*.code"))


def break_a_cube() -> int:
    """A small cube, struck from above; returns how many fragments came of it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 0.5))
    cube, scene = bpy.context.object, bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 4
    scene.cursor.location = (0.02, 0.01, 0.7)
    bpy.ops.fracture.add_impact()
    cube.fracture.impact_frame = 2
    cube.fracture.impact_strength = 8.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    return len(bpy.data.collections[f"{cube.name} Fragments"].objects)


def site_of(name: str) -> str:
    """``extension`` when a package comes from the extension's wheels, else ``blender``."""
    return "extension" if ".local" in Path(importlib.util.find_spec(name).origin).parts else "blender"


def warnings() -> dict:
    """What Blender's preferences would show under the extension; 4.4 was the first to look."""
    collect = getattr(addon_utils, "_extensions_warnings_get", dict)
    return {name: texts for name, texts in collect().items() if name == PACKAGE}


main(*sys.argv[sys.argv.index("--") + 1 :])
