"""What the extension is tried in: Pythons with nothing but the bpy module, and a real Blender."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """A function that builds the zip for this platform and a Python, once."""

    @cache
    def built(python: str, *options: str) -> Path:
        folder = tmp_path_factory.mktemp("zip")
        command = [sys.executable, ROOT / ".ci" / "build_extension.py", "--platform", "this", "--python", python]
        subprocess.run([*command, "--output", folder, *options], check=True)
        (archive,) = folder.glob("*.zip")
        return archive

    return built


@pytest.fixture(scope="session")
def bare_python():
    """A function that makes a Python with the bpy module of a version; all else has to come from the extension."""

    def made(version: str) -> Path:
        folder = CACHE / "bpy" / version
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if not (folder / "ready").exists():
            pins = [f"bpy=={version}", f"numpy=={metadata.version('numpy')}"]
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *pins], check=True)
            (folder / "ready").touch()
        return python

    return made


@pytest.fixture(scope="session")
def blender(request) -> str:
    """The program of a real Blender: the one that FRACTURE_BLENDER names, or on the PATH, or Debian's, set up here."""
    program = os.environ.get("FRACTURE_BLENDER") or shutil.which("blender")
    return program or request.getfixturevalue("debian_blender")


@pytest.fixture(scope="session")
def debian_blender() -> str:
    """The program of Debian's Blender, set up here."""
    able = sys.platform == "linux" and os.geteuid() == 0 and (shutil.which("debootstrap") or shutil.which("apt-get"))
    if not able and not os.environ.get("CI"):
        pytest.skip("no Blender: name one with FRACTURE_BLENDER (only root on Debian or Ubuntu can set one up)")
    setup = ["sh", ROOT / ".ci" / "setup_blender.sh", CACHE / "blender"]
    return subprocess.run(setup, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@pytest.fixture(scope="session")
def blender_archive(blender, build) -> Path:
    """The zip for the real Blender's Python, whatever version of Blender that is."""
    show = "import sys; print('python', '%d.%d' % sys.version_info[:2])"
    command = [blender, "-b", "--factory-startup", "--python-expr", show]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return build(said[said.index("python") + 1], "--blender-min", "4.2.0")


@pytest.fixture(scope="session")
def blender_user(tmp_path_factory) -> dict[str, str]:
    """Environment of a real Blender: a user's folder of its own, and nothing of the Python that runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FRACTURE_COMPILED"))}
    return {**kept, "BLENDER_USER_RESOURCES": str(tmp_path_factory.mktemp("user"))}
