"""Debian's Blender in a window on a virtual screen, driven by mouse and keys."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
# Size of the screen in pixels at a scale of 1. All positions are pixels at that scale.
WIDTH, HEIGHT = 1280, 800


class Window:
    """One Blender, its screen, and the folder in which it writes its state.

    Attributes:
        place: That folder.
        user: The user's folder of that Blender.
    """

    def __init__(self, enter: Path, archive: Path, place: Path, theme: str, scale: int):
        """Prepare the folder; nothing runs yet.

        Args:
            enter: Program that runs a command in the system that has Blender, Xvfb, xdotool and ImageMagick.
            archive: The extension's zip for that Blender.
            place: Empty folder that the system sees under the same name.
            theme: Name of one of Blender's themes.
            scale: Resolution scale of Blender's interface; the screen grows with it.
        """
        self._enter, self._archive, self.place = enter, archive, place
        self.user = place / "home" / "blender"
        self._theme, self._scale = theme, scale
        self._display = ""
        self._processes: list[subprocess.Popen] = []
        (place / "home").mkdir()
        shutil.copy(Path(__file__).with_name("inside.py"), place)
        shutil.copytree(ROOT / "tests" / "meshes" / "old_jar", place / "old_jar")

    def start(self) -> None:
        """Open the screen and Blender's window, and wait until the scene is built."""
        width, height = WIDTH * self._scale, HEIGHT * self._scale
        screen = ("-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp")
        xvfb = self._spawn("Xvfb", *screen, output=subprocess.PIPE, errors=subprocess.DEVNULL)
        self._display = f":{int(xvfb.stdout.readline())}"
        self._run("blender", "--command", "extension", "install-file", "-r", "user_default", "-e", str(self._archive))
        geometry = ("--window-geometry", "0", "0", str(width), str(height))
        with open(self.place / "log.txt", "wb") as log:
            self.blender = self._spawn("blender", *geometry, "--python", str(self.place / "inside.py"), output=log)
        self.wait(lambda state: state["tick"] > 2, 900.0)

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

    def wait(self, condition, seconds: float = 300.0) -> dict:
        """The first state that meets a condition."""
        found = self.reaches(condition, seconds)
        if found is None:
            raise AssertionError(f"not within {seconds} s; last state {self.state}\n{self.log()[-2000:]}")
        return found

    def reaches(self, condition, seconds: float) -> dict | None:
        """The first state that meets a condition, or ``None`` after some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state
            if condition(state):
                return state
            if self.blender.poll() is not None:
                raise AssertionError(f"Blender ended ({self.blender.returncode})\n{self._reason()}")
            time.sleep(0.05)
        return None

    def _reason(self) -> str:
        """What Blender printed last, and its own report of a crash."""
        report = self.place / "home" / "blender.crash.txt"
        return self.log()[-2000:] + (report.read_text(errors="replace") if report.exists() else "")

    def log(self) -> str:
        """What Blender printed."""
        return (self.place / "log.txt").read_text(errors="replace")

    def click(self, x: int, y: int) -> None:
        """Press and release the left button."""
        self._mouse("mousemove", *self._at(x - 3, y), "sleep", "0.1", "mousemove", *self._at(x, y), "sleep", "0.3")
        self._mouse("click", "1", "sleep", "0.4")

    def click_until(self, x: int, y: int, condition, seconds: float = 20.0) -> dict:
        """Click until a state meets a condition: a busy Blender sees a press where the pointer was before."""
        for _ in range(5):
            self.click(x, y)
            state = self.reaches(condition, seconds)
            if state is not None:
                return state
        raise AssertionError(f"clicks at {x}, {y} have no effect; last state {self.state}\n{self.log()[-2000:]}")

    def press(self, x: int, y: int) -> None:
        """Move the mouse to a place and press the left button."""
        self._mouse("mousemove", *self._at(x - 3, y), "sleep", "0.3", "mousemove", *self._at(x, y), "sleep", "0.5")
        self._mouse("mousedown", "1", "sleep", "0.5")

    def drag(self, x: int, y: int) -> None:
        """Move the mouse."""
        self._mouse("mousemove", *self._at(x - 3, y), "sleep", "0.2", "mousemove", *self._at(x, y), "sleep", "0.4")

    def release(self) -> None:
        """Release the left button."""
        self._mouse("mouseup", "1", "sleep", "0.4")

    def key(self, keys: str, x: int = 300, y: int = 600) -> None:
        """Press keys with the mouse over the viewport."""
        self._mouse("mousemove", *self._at(x, y), "sleep", "0.2", "key", keys, "sleep", "0.4")

    def picture(self, target: Path, crop: str = "") -> None:
        """Take a picture of the screen; ``crop`` is WIDTHxHEIGHT+X+Y."""
        self._shoot(crop, "picture.png")
        shutil.copy(self.place / "picture.png", target)

    def pixels(self, crop: str) -> np.ndarray:
        """All red, green and blue values, 0 to 255, of a part of the screen as Blender has drawn its present state."""
        tick = self.state["tick"]
        self.wait(lambda state: state["tick"] > tick + 3)  # Blender draws between two ticks
        self._shoot(crop, "rgb:picture.raw")
        return np.fromfile(self.place / "picture.raw", np.uint8).astype(float)

    def _shoot(self, crop: str, name: str) -> None:
        sizes = re.sub(r"\d+", lambda size: str(int(size[0]) * self._scale), crop)
        area = ["-crop", sizes, "+repage"] if crop else []
        *kind, file = name.split(":")
        target = ":".join([*kind, str(self.place / file)])
        self._run("import", "-window", "root", *area, "-strip", "-depth", "8", target)

    def join(self, pictures: Sequence[Path], target: Path, delay: int, last_delay: int, width: int) -> None:
        """Join pictures in this window's folder to a GIF.

        Args:
            pictures: The pictures, in their order.
            target: The GIF.
            delay: Time of each picture, hundredths of a second.
            last_delay: Time of the last one.
            width: Width of the GIF, pixels.
        """
        film = self.place / "film.gif"
        *early, last = map(str, pictures)
        timed = ["-delay", str(delay), *early, "-delay", str(last_delay), last]
        small = ["-resize", str(width), "-dither", "None", "-colors", "96", "-layers", "OptimizePlus", "-loop", "0"]
        self._run("convert", *timed, *small, str(film))
        shutil.copy(film, target)

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        home = str(self.place / "home")
        return inherited | {
            "DISPLAY": self._display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "HOME": home,
            "BLENDER_USER_RESOURCES": str(self.user),
            "FRACTURE_WINDOW_PLACE": str(self.place),
            "FRACTURE_WINDOW_THEME": self._theme,
            "FRACTURE_WINDOW_SCALE": str(self._scale),
            "TMPDIR": home,
        }

    def _at(self, x: int, y: int) -> tuple[str, str]:
        """A place on the screen, as xdotool reads it."""
        return str(x * self._scale), str(y * self._scale)

    def _mouse(self, *steps: str) -> None:
        self._run("xdotool", *steps)

    def _run(self, *command: str) -> None:
        subprocess.run([self._enter, *command], env=self._environment(), check=True, timeout=600)

    def _spawn(self, *command: str, output: object, errors: int = subprocess.STDOUT) -> subprocess.Popen:
        process = subprocess.Popen([self._enter, *command], env=self._environment(), stdout=output, stderr=errors)
        self._processes.append(process)
        return process
