"""Builds the extension's zips: ``python .ci/build_extension.py [--python 3.13] [--platform linux-x64] ...``.

One zip a Python (Blender 4.2 to 5.0 has 3.11, 5.1 and later have 3.13) and platform, each with the wheels of
everything that pyproject.toml pins, but for what Blender has itself: numpy above all, which would shadow Blender's own.
A zip for this platform also has compiled code, if ``make demo PYTHON=...`` has set up its Python here.
Needs a Python with the bpy module, whose extension builder it uses.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / ".cache" / "wheels"
CODE = ROOT / ".cache" / "compiled_zip"
FOLDERS = ("fracture_addon", "presets")
FILES = ("__init__.py", "LICENSE", "README.md", "CHANGELOG.md")
BLENDER_HAS = {"bpy", "numpy"}

# First version of Blender that has this Python, and the first that no longer has.
BLENDER_VERSIONS = {"3.11": ("4.2.0", "5.1.0"), "3.13": ("5.1.0", None)}

# Blender's name of a platform, and the tags of the wheels that run there. Not macos-x64: numba and rapier3d left it.
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_11_0_arm64"),
}
# fTetWild is one of the ways to repair a mesh; where it has no wheel, that way refuses.
NO_WHEEL = {("pytetwild", "macos-arm64")}


def requirements(python: str) -> list[Requirement]:
    """What a zip for this Python carries, as pinned in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = [Requirement(line) for line in project["dependencies"]]
    wanted = [pin for pin in pins if pin.marker is None or pin.marker.evaluate({"python_version": python})]
    return [pin for pin in wanted if pin.name not in BLENDER_HAS]


def fetch_wheels(python: str, platform_name: str) -> list[Path]:
    """Download what is not there yet; returns the wheels."""
    folder = WHEELS / f"cp{python.replace('.', '')}-{platform_name}"
    pins = [f"{pin.name}{pin.specifier}" for pin in requirements(python) if (pin.name, platform_name) not in NO_WHEEL]
    stamp = folder / "pins.txt"
    if not stamp.exists() or stamp.read_text().split() != pins:
        shutil.rmtree(folder, ignore_errors=True)
        tags = [item for tag in PLATFORMS[platform_name] for item in ("--platform", tag)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--python-version", python, *tags, "--dest", str(folder), *pins], check=True)
        stamp.write_text("\n".join(pins))
    return sorted(folder.glob("*.whl"))


def manifest(python: str, platform_name: str, wheels: list[Path], version_min: str | None) -> str:
    """The text of a zip's blender_manifest.toml."""
    first, beyond = BLENDER_VERSIONS[python]
    text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    lines = [f'blender_version_min = "{version_min or first}"']
    lines += [f'blender_version_max = "{beyond}"'] if beyond else []
    lines += [f"platforms = {[platform_name]}", f"wheels = {[f'./wheels/{wheel.name}' for wheel in wheels]}"]
    return text.replace('blender_version_min = "4.2.0"', "\n".join(lines).replace("'", '"'))


def build(python: str, platform_name: str, output: Path, version_min: str | None = None) -> Path:
    """Build and validate the zip for one Python and platform; returns it."""
    wheels = fetch_wheels(python, platform_name)
    first = version_min or BLENDER_VERSIONS[python][0]
    output.mkdir(parents=True, exist_ok=True)
    # Beside the wheels, to which links lead only within a file system.
    with tempfile.TemporaryDirectory(dir=WHEELS) as folder:
        stage = Path(folder)
        (stage / "wheels").mkdir()
        for name in FOLDERS:
            shutil.copytree(ROOT / name, stage / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in FILES:
            shutil.copy(ROOT / name, stage)
        for wheel in wheels:
            (stage / "wheels" / wheel.name).hardlink_to(wheel)
        code = compiled_code(python) if platform_name == this_platform() else None
        if code:
            shutil.copytree(code, stage / "compiled")
        (stage / "blender_manifest.toml").write_text(
            manifest(python, platform_name, wheels, version_min), encoding="utf-8"
        )
        extension_tool("build", "--split-platforms", "--source-dir", folder, "--output-dir", folder)
        (built,) = stage.glob("*.zip")
        extension_tool("validate", str(built))
        return Path(shutil.move(built, output / f"{built.stem}-blender_{first.removesuffix('.0')}.zip"))


def compiled_code(python: str) -> Path | None:
    """The folder of all kernels' code for this platform; ``None`` if this Python is not set up here.

    The code is compiled once. The tests get a copy, so that they need not compile it again.
    """
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    program = Path(sys.executable) if python == here else ROOT / ".venv" / python / "bin" / "python"
    if not program.exists():
        print(f"No Python {python} is set up here: the zip has no compiled code.")
        return None
    sources = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    for path in sorted((ROOT / "fracture_addon").rglob("*.py")):
        sources.update(path.read_bytes())
    code = CODE / f"{python}-{sources.hexdigest()[:16]}"
    if not code.exists():
        for old in CODE.glob(f"{python}-*"):
            shutil.rmtree(old)
        part = code.with_name(f"part-{code.name}")
        around = os.environ | {"PYTHONPATH": str(ROOT), "FRACTURE_COMPILED": str(part)}
        around |= {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [program, "-P", "-m", "fracture_addon.core.timeline.warm_up"]
        # It ends when its input closes.
        with subprocess.Popen(command, env=around, stdin=subprocess.PIPE) as process:
            if process.wait():
                raise subprocess.CalledProcessError(process.returncode, command)
        shutil.copytree(part, ROOT / ".cache" / f"compiled-{python.replace('.', '')}", dirs_exist_ok=True)
        part.rename(code)
    return code


def extension_tool(*arguments: str) -> None:
    """Run Blender's own extension tool, which needs no Blender."""
    (package,) = importlib.util.find_spec("bpy").submodule_search_locations
    (tool,) = Path(package).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    subprocess.run([sys.executable, str(tool), *arguments], check=True)


def this_platform() -> str:
    """Blender's name of the platform that this runs on."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}[platform.system()]
    return f"{system}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"


def main() -> None:
    """Build what the command line names, everything by default."""
    parser = argparse.ArgumentParser(description="Build the extension's zips.")
    parser.add_argument("--python", choices=BLENDER_VERSIONS, action="append", help="default: all")
    parser.add_argument("--platform", choices=(*PLATFORMS, "this"), action="append", help="default: all")
    parser.add_argument("--blender-min", help="try a zip in an older Blender with the same Python, such as 4.2.0")
    parser.add_argument("--code-only", action="store_true", help="compile the code for this platform, without a zip")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "zip")
    arguments = parser.parse_args()
    platforms = [this_platform() if name == "this" else name for name in arguments.platform or PLATFORMS]
    for python in arguments.python or BLENDER_VERSIONS:
        if arguments.code_only:
            compiled_code(python)
            continue
        for name in platforms:
            archive = build(python, name, arguments.output.resolve(), arguments.blender_min)
            print(f"{archive.stat().st_size / 1e6:6.1f} MB  {archive}")


if __name__ == "__main__":
    main()
