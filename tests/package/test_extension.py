"""The built zip, installed where artists install it: the bpy module of this Python, and a real Blender."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSIDE = Path(__file__).with_name("inside.py")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# A system with Debian's Blender, made by .ci/setup_blender.sh where that is allowed to.
SYSTEM = Path(os.environ.get("FRACTURE_BLENDER_SYSTEM", ROOT / ".cache" / "blender"))


def built(folder: Path, python: str, *options: str) -> Path:
    """The zip for this platform and a Python."""
    command = [sys.executable, ROOT / ".ci" / "build_extension.py", "--python", python, "--platform", "this"]
    subprocess.run([*command, "--output", folder, *options], check=True)
    (archive,) = folder.glob("*.zip")
    return archive


def check(found: dict) -> None:
    assert found["enabled"]
    assert found["fragments"] >= 2
    assert found["changed"] == [], "the extension's folder was written to"
    assert found["compiled"] > 0, "compiled code is kept in the user's folder"
    assert found["warnings"] == {}
    assert found["left_behind"] == []


def test_installs_into_the_bpy_module(tmp_path):
    archive, result = built(tmp_path / "zip", PYTHON), tmp_path / "result.json"
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user")}
    subprocess.run([sys.executable, INSIDE, "--", archive, result], check=True, env=environment, timeout=600)
    check(json.loads(result.read_text()))


@pytest.fixture(scope="module")
def real_blender():
    """Root folder of a system with a real Blender."""
    if not (SYSTEM / "usr/bin/blender").exists():
        able = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")
        if not able and not os.environ.get("CI"):
            pytest.skip("no real Blender: needs root on Debian, or FRACTURE_BLENDER_SYSTEM")
        subprocess.run([ROOT / ".ci" / "setup_blender.sh", SYSTEM], check=True)
    return SYSTEM


def test_installs_into_a_real_blender(tmp_path, real_blender):
    # Debian builds 4.3 with Python 3.13, which Blender itself has had from 5.1 on.
    archive = built(tmp_path / "zip", "3.13", "--blender-min", "4.2.0")
    inside = real_blender / "tmp" / "fracture"
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir()
    shutil.copy(archive, inside / "extension.zip")
    shutil.copy(INSIDE, inside)
    # Mounts of a namespace of their own are gone when the command ends, whatever happens.
    script = (
        f"mount -t proc proc {real_blender}/proc; mount --rbind /dev {real_blender}/dev; "
        f"BLENDER_USER_RESOURCES=/tmp/fracture/user exec chroot {real_blender} blender -b --python-exit-code 1 "
        "--python /tmp/fracture/inside.py -- /tmp/fracture/extension.zip /tmp/fracture/result.json"
    )
    try:
        subprocess.run(["unshare", "--mount", "sh", "-c", script], check=True, timeout=900)
        found = json.loads((inside / "result.json").read_text())
    finally:
        shutil.rmtree(inside, ignore_errors=True)
    check(found)
    assert found["sites"].pop("numpy") == "blender"
    assert set(found["sites"].values()) == {"extension"}
