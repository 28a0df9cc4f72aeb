"""The built zip, installed where artists install it: Blender's module, and a real Blender."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# The pinned module, and the long-term release that has the same Python.
MODULES = [metadata.version("bpy"), *{"3.11": ["4.5.15"]}.get(PYTHON, [])]


def check(result: Path) -> None:
    found = json.loads(result.read_text())
    assert found["enabled"]
    assert found["fragments"] >= 2
    assert found["changed"] == [], "the extension's folder was written to"
    if found["shipped"]:
        assert found["compiled"] == 0, "the first run needs no code that did not come with the extension"
    else:
        assert found["compiled"] > 0, "compiled code is kept in the user's folder"
    assert found["warnings"] == {}
    assert found["left_behind"] == []
    assert found["sites"].pop("numpy") == "blender"
    assert set(found["sites"].values()) == {"extension"}


def test_the_zip_carries_what_it_should(build):
    with zipfile.ZipFile(build(PYTHON)) as archive:
        names = archive.namelist()
    wheels = {name.split("/")[1].split("-")[0] for name in names if name.endswith(".whl")}
    assert wheels >= {"numba", "llvmlite", "scipy", "manifold3d", "rapier3d", "pytetwild"}
    assert not wheels & {"numpy", "bpy"}
    assert {"blender_manifest.toml", "LICENSE", "__init__.py", "fracture_addon/worker.py"} <= set(names)
    assert "presets/fracture_addon/material/porcelain.py" in names
    assert len([name for name in names if name.startswith("compiled/") and name.endswith(".code")]) > 200
    assert not [name for name in names if "tests/" in name or "__pycache__" in name]


@pytest.mark.parametrize("version", MODULES)
def test_works_in_the_bpy_module(build, bare_python, tmp_path, version):
    archive, python, result = build(PYTHON), bare_python(version), tmp_path / "result.json"
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    # Not from the checkout: nothing of it may be found by accident.
    command = [python, HERE / "inside.py", "--", archive, result]
    subprocess.run(command, check=True, env=environment, cwd=tmp_path, timeout=900)
    check(result)


def test_works_in_a_real_blender(blender, blender_archive, blender_user, tmp_path):
    result = tmp_path / "result.json"
    command = [blender, "-b", "--python-exit-code", "1", "--python", HERE / "inside.py", "--", blender_archive, result]
    subprocess.run(command, check=True, env=blender_user, timeout=900)
    check(result)


def test_installs_and_shatters_by_blenders_own_commands(blender, blender_archive, blender_user, tmp_path):
    def command(*arguments):
        subprocess.run([blender, "--command", *map(str, arguments)], check=True, env=blender_user, timeout=900)

    command("extension", "validate", blender_archive)
    command("extension", "install-file", "-r", "user_default", "-e", blender_archive)
    model, output = ROOT / "tests" / "meshes" / "old_jar" / "old_jar.obj", tmp_path / "jar.blend"
    report, picture = output.with_suffix(".json"), output.with_suffix(".png")
    options = ["--height", 0.25, "--preset", "terracotta", "--scenario", "impact", "--resolution", 400]
    options += ["--frames", "1-6", "--output", output, "--report", report, "--render", picture]
    command("shatter", model, *options)
    assert json.loads(report.read_text())
    assert output.stat().st_size > 0
    assert picture.stat().st_size > 0

    sweep, results = tmp_path / "sweep.toml", tmp_path / "sweep"
    sweep.write_text(
        f'model = "{model}"\npictures = false\n[options]\nheight = 0.25\nscenario = "impact"\nresolution = 400\n'
        'frames = "1-6"\n[sweep]\nseed = [1, 2]\n'
    )
    command("wedge", sweep, "--output", results, "--jobs", 2)
    for number in (1, 2):
        assert (results / "runs" / f"{number:05d}" / "result.blend").stat().st_size > 0
    assert (results / "index.html").exists()


@pytest.mark.parametrize("third", range(3))
def test_headless_tests_pass_on_the_installed_extension(third, blender, blender_archive, blender_user, tmp_path):
    """Blender 4.3 rarely crashes while it reads a new file, after hundreds of tests. Such a third runs once more."""
    site = ROOT / ".cache" / "pytest"
    if not site.exists():
        # Pure Python all: any Blender takes them.
        pins = [
            f"{name}=={metadata.version(name)}" for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
        ]
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, *pins], check=True
        )
    files = sorted((ROOT / "tests" / "blender").glob("test_*.py"))[third::3]
    script = [blender, "-b", "--python-exit-code", "1", "--python", HERE / "headless.py"]
    command = [*script, "--", blender_archive, site, *files]
    for _ in range(2):
        environment = {**blender_user, "PYTHONDONTWRITEBYTECODE": "1"}
        code = subprocess.run(command, env=environment, cwd=ROOT, timeout=1800).returncode
        if code >= 0:  # a negative one is a signal
            break
    assert code == 0
