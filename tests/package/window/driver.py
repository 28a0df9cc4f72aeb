"""A Blender with a window on a screen of its own, driven by mouse and keys.

Give a Linux system that has ``blender``, ``Xvfb``, ``xdotool`` and ImageMagick's ``import``:

    FRACTURE_WINDOW_BLENDER  the root of that system: ``/`` for this one, else a folder to change root into
    FRACTURE_WINDOW_ZIP      the extension to install there; without it, the checkout and this Python's packages
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 1280, 800
PACKAGES = ("numba", "llvmlite", "scipy", "rapier3d", "manifold3d", "pytetwild")


class Window:
    """One Blender, its screen, and the folder through which it tells what is going on."""

    def __init__(self, system: Path, archive: Path | None, display: int):
        """Copy what Blender needs into the system; nothing runs yet."""
        self._enter = [] if system == Path("/") else ["chroot", str(system)]
        self._display = f":{display}"
        self._processes: list[subprocess.Popen] = []
        self.place = system / "tmp" / f"fracture_window_{display}"
        self._inside = Path("/tmp") / self.place.name
        shutil.rmtree(self.place, ignore_errors=True)
        (self.place / "home").mkdir(parents=True)
        shutil.copy(Path(__file__).with_name("inside.py"), self.place)
        shutil.copytree(ROOT / "tests" / "meshes" / "old_jar", self.place / "old_jar")
        if archive:
            shutil.copy(archive, self.place / "extension.zip")
        else:
            self._copy_checkout()

    def start(self) -> None:
        """Open the screen and Blender's window, and wait until the scene stands."""
        self._spawn("Xvfb", self._display, "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp")
        time.sleep(1.0)
        if (self.place / "extension.zip").exists():
            archive = str(self._inside / "extension.zip")
            self._run("blender", "--command", "extension", "install-file", "-r", "user_default", "-e", archive)
        geometry = ("--window-geometry", "0", "0", str(WIDTH), str(HEIGHT))
        with open(self.place / "log.txt", "wb") as log:
            self.blender = self._spawn("blender", *geometry, "--python", str(self._inside / "inside.py"), log=log)
        self.wait(lambda state: state["tick"] > 2, 300.0)

    def stop(self) -> None:
        """Close everything that was opened here, and remove the folder."""
        for process in reversed(self._processes):
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5.0)
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.place, ignore_errors=True)

    @property
    def state(self) -> dict:
        """What Blender wrote down last."""
        try:
            return json.loads((self.place / "state.json").read_text())
        except FileNotFoundError:
            return {"tick": 0}

    def wait(self, condition, seconds: float = 60.0) -> dict:
        """The first state that meets a condition."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state
            if condition(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s; last state {self.state}\n{self.log()[-2000:]}")

    def log(self) -> str:
        """What Blender printed."""
        return (self.place / "log.txt").read_text(errors="replace")

    def click(self, x: int, y: int) -> None:
        """Press and release the left button."""
        self._run(
            "xdotool", "mousemove", str(x - 3), str(y), "sleep", "0.1", "mousemove", str(x), str(y), "sleep", "0.3"
        )
        self._run("xdotool", "click", "1", "sleep", "0.4")

    def key(self, keys: str, x: int = 300, y: int = 600) -> None:
        """Press keys with the mouse over the viewport."""
        self._run("xdotool", "mousemove", str(x), str(y), "sleep", "0.2", "key", keys, "sleep", "0.4")

    def picture(self, target: Path, crop: str = "") -> None:
        """Take a picture of the screen; ``crop`` is WIDTHxHEIGHT+X+Y."""
        area = ["-crop", crop, "+repage"] if crop else []
        self._run("import", "-window", "root", *area, "-strip", str(self._inside / "picture.png"))
        shutil.copy(self.place / "picture.png", target)

    def _copy_checkout(self) -> None:
        checkout = self.place / "checkout"
        ignore = shutil.ignore_patterns("__pycache__")
        for name in ("fracture_addon", "presets"):
            shutil.copytree(ROOT / name, checkout / name, ignore=ignore)
        site = self.place / "site"
        site.mkdir()
        for source in Path(sysconfig.get_path("platlib")).iterdir():
            if re.split("[-.]", source.name)[0] in PACKAGES:
                subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(site)], check=True)

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return inherited | {
            "DISPLAY": self._display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "HOME": str(self._inside / "home"),
            "BLENDER_USER_RESOURCES": str(self._inside / "home" / "blender"),
            "FRACTURE_WINDOW_PLACE": str(self._inside),
            "TMPDIR": str(self._inside / "home"),
        }

    def _run(self, *command: str) -> None:
        subprocess.run([*self._enter, *command], env=self._environment(), check=True, timeout=120)

    def _spawn(self, *command: str, log=subprocess.DEVNULL) -> subprocess.Popen:
        process = subprocess.Popen(
            [*self._enter, *command], env=self._environment(), stdout=log, stderr=subprocess.STDOUT
        )
        self._processes.append(process)
        return process
