"""Makes the film of the tool Draw Cracks for the guide, from a window of Debian's Blender.

    python -m tests.package.window.film ENTER ZIP TARGET [CACHE]

ENTER is the program beside the one that ``.ci/setup_blender.sh`` prints, ZIP the extension for that Blender, TARGET the
GIF. CACHE is the extension's cache of an earlier user's folder, so that nothing compiles.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.package.conftest import USER_CACHE
from tests.package.window.driver import Window
from tests.package.window.test_window import PEN_TOOL, SHATTER, TAB

# Pixels at a scale of 1: the line on the jar, and the part of the screen that is shown.
LINE = ((424, 205), (434, 216), (442, 230), (452, 242), (466, 254), (476, 270), (484, 286))
SHOWN = "980x560+58+80"
# Steps by which the view moves up, so that no header covers the jar.
PANS = 3
# Frames after the break, hundredths of a second of a picture and of the last one, and the width in pixels.
FALL, DELAY, LAST_DELAY, WIDTH = 12, 25, 200, 640


def pictures(window: Window) -> Iterator[None]:
    """Draw a crack, shatter, and step through the break; yield where a picture is due."""
    for _ in range(PANS):
        window.key("ctrl+KP_8")
    window.click_until(*PEN_TOOL, lambda state: state["tool"] == "fracture.draw_cracks")
    yield
    window.press(*LINE[0])
    for place in LINE[1:]:
        window.drag(*place)
        yield
    window.release()
    window.wait(lambda state: state["drawn"] == 1)
    for x in (600, 620):  # Blender draws the sheet with the next event
        window.drag(x, 560)
        time.sleep(1.5)
    yield
    window.click_until(*SHATTER, lambda state: state["active"])
    window.wait(lambda state: state["share"] > 0.3 or not state["active"], 900.0)
    yield
    window.wait(lambda state: not state["active"] and state["pieces"] > 2, 900.0)
    for _ in range(FALL):
        window.key("Right")
        time.sleep(1.0)
        yield


def main(enter: Path, archive: Path, target: Path, cache: Path | None = None) -> None:
    """Make the film."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window(enter, archive, Path(folder), "Blender_Dark", 1)
        if cache is not None:
            shutil.copytree(cache, window.user / USER_CACHE)
        try:
            window.start()
            window.key("n")
            time.sleep(2.0)
            window.click(*TAB)
            time.sleep(2.0)
            for number, _ in enumerate(pictures(window)):
                time.sleep(0.5)
                window.picture(window.place / f"film_{number:02}.png", SHOWN)
            window.join(sorted(window.place.glob("film_*.png")), target, DELAY, LAST_DELAY, WIDTH)
        finally:
            window.stop()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
