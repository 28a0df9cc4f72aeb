"""Debian's Blender in a window on a virtual screen, driven by mouse and keys."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 1280, 800


class Window:
    """One Blender, its screen, and the folder in which it writes its state."""

    def __init__(self, enter: Path, archive: Path, place: Path):
        """Prepare the folder; nothing runs yet.

        Args:
            enter: Program that runs a command in the system that has Blender, Xvfb, xdotool and ImageMagick.
            archive: The extension's zip for that Blender.
            place: Empty folder that the system sees under the same name.
        """
        self._enter, self._archive, self.place = enter, archive, place
        self._display = ""
        self._processes: list[subprocess.Popen] = []
        (place / "home").mkdir()
        shutil.copy(Path(__file__).with_name("inside.py"), place)
        shutil.copytree(ROOT / "tests" / "meshes" / "old_jar", place / "old_jar")

    def start(self) -> None:
        """Open the screen and Blender's window, and wait until the scene is built."""
        screen = ("-displayfd", "1", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp")
        xvfb = self._spawn("Xvfb", *screen, output=subprocess.PIPE, errors=subprocess.DEVNULL)
        self._display = f":{int(xvfb.stdout.readline())}"
        self._run("blender", "--command", "extension", "install-file", "-r", "user_default", "-e", str(self._archive))
        geometry = ("--window-geometry", "0", "0", str(WIDTH), str(HEIGHT))
        with open(self.place / "log.txt", "wb") as log:
            self.blender = self._spawn("blender", *geometry, "--python", str(self.place / "inside.py"), output=log)
        self.wait(lambda state: state["tick"] > 2, 300.0)

    def stop(self) -> None:
        """End every process that was started here."""
        for process in reversed(self._processes):
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5.0)
            if process.poll() is None:
                process.kill()
                process.wait()

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
            if self.blender.poll() is not None:
                raise AssertionError(f"Blender ended ({self.blender.returncode}); last state {state}\n{self._reason()}")
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s; last state {self.state}\n{self.log()[-2000:]}")

    def _reason(self) -> str:
        """What Blender printed last, and its own report of a crash."""
        report = self.place / "home" / "blender.crash.txt"
        return self.log()[-2000:] + (report.read_text(errors="replace") if report.exists() else "")

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
        self._run("import", "-window", "root", *area, "-strip", str(self.place / "picture.png"))
        shutil.copy(self.place / "picture.png", target)

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        home = str(self.place / "home")
        return inherited | {
            "DISPLAY": self._display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "HOME": home,
            "BLENDER_USER_RESOURCES": f"{home}/blender",
            "FRACTURE_WINDOW_PLACE": str(self.place),
            "TMPDIR": home,
        }

    def _run(self, *command: str) -> None:
        subprocess.run([self._enter, *command], env=self._environment(), check=True, timeout=120)

    def _spawn(self, *command: str, output: object, errors: int = subprocess.STDOUT) -> subprocess.Popen:
        process = subprocess.Popen([self._enter, *command], env=self._environment(), stdout=output, stderr=errors)
        self._processes.append(process)
        return process
