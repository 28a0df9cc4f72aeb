import subprocess
import sys

import bpy
import pytest

from fracture_addon.blender import extension, registration
from fracture_addon.blender.process import run


@pytest.mark.parametrize("name", ["shatter", "cancel", "clear", "bake", "add_impact", "add_place", "apply_preset"])
def test_operators_are_found_under_their_names(registered, name):
    assert getattr(bpy.ops.fracture, name).get_rna_type().identifier == f"FRACTURE_OT_{name}"


def test_everything_comes_out_and_goes_in_again(registered):
    handlers = len(bpy.app.handlers.load_pre)
    registration.unregister()
    assert not hasattr(bpy.types.Object, "fracture")
    assert not hasattr(bpy.types, "FRACTURE_PT_main")
    assert len(bpy.app.handlers.load_pre) == handlers - 1
    registration.register()
    assert hasattr(bpy.types.Scene, "fracture")
    assert len(bpy.app.handlers.load_pre) == handlers


def test_the_root_file_imports_nothing_until_asked():
    code = f"import sys; sys.path.insert(0, {str(extension.ROOT.parent)!r}); import {extension.ROOT.name}; " + (
        "assert 'bpy' not in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_user_folder_is_outside_the_extension(registered):
    folder = extension.user_folder("cache")
    assert folder.is_dir()
    assert extension.ROOT / "fracture_addon" not in folder.parents


def test_unregistering_stops_the_child(struck):
    started = run.begin(bpy.context, [struck])
    child = started.process._worker._child
    registration.unregister()
    registration.register()
    assert run.active is None
    assert child.returncode is not None


def test_opening_a_file_stops_the_child(struck):
    started = run.begin(bpy.context, [struck])
    child = started.process._worker._child
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert run.active is None
    assert child.returncode is not None


def test_run_state_is_not_saved(struck, tmp_path):
    run.say("something to forget", is_error=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"), compress=False)
    assert b"something to forget" not in (tmp_path / "a.blend").read_bytes()
    run.message = None
