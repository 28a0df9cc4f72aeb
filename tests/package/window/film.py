"""Makes the films of two tools for the guide, from a window of Debian's Blender.

    python -m tests.package.window.film FILM ENTER ZIP TARGET

FILM is ``draw_cracks`` or ``pull_a_piece``, ENTER is the program beside the one that ``.ci/setup_blender.sh`` prints,
ZIP the extension for that Blender with its compiled code, TARGET the GIF.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.package.window.driver import Window
from tests.package.window.test_window import PEN_TOOL, PULL_TOOL, SHATTER, open_the_sidebar

# Pixels at a scale of 1: the line on the jar, and the part of the screen that is shown.
LINE = ((424, 205), (434, 216), (442, 230), (452, 242), (466, 254), (476, 270), (484, 286))
SHOWN = "980x560+58+80"
# Steps by which the view moves up, so that no header covers the jar, and by which it moves nearer.
PANS, ZOOMS = 3, 4
# Frames after the break, and before a piece turns into dust.
FALL, FLIGHT = 12, 4
# Hundredths of a second of a picture and of the last one, and the width in pixels.
DELAY, LAST_DELAY, WIDTH = 25, 200, 640


def draw_cracks(window: Window) -> Iterator[None]:
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


def pull_a_piece(window: Window) -> Iterator[None]:
    """Shatter, turn a flying piece into dust by the menu of the tool, and step on; yield where a picture is due."""
    for _ in range(ZOOMS):
        window.key("KP_Add")
    window.click_until(*SHATTER, lambda state: state["active"])
    window.wait(lambda state: not state["active"] and state["pieces"] > 2, 900.0)
    for _ in range(FLIGHT):
        yield
        window.key("Right")
        time.sleep(1.0)
    x, y = window.click_until(*PULL_TOOL, lambda state: state["piece_at"])["piece_at"]
    yield
    for away in (90, 60, 30, 0):
        window.drag(x + away, y)
        time.sleep(0.5)
        yield
    window.click(x, y)
    time.sleep(1.0)
    yield
    yield
    window.drag(x, y + 90)
    yield
    window.key("2", x, y + 90)
    for _ in range(FALL):
        time.sleep(1.5)
        yield
        window.key("Right")


FILMS = {"draw_cracks": draw_cracks, "pull_a_piece": pull_a_piece}


def main(film: str, enter: Path, archive: Path, target: Path) -> None:
    """Make a film."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window(enter, archive, Path(folder), "Blender_Dark", 1)
        try:
            window.start()
            open_the_sidebar(window)
            for number, _ in enumerate(FILMS[film](window)):
                time.sleep(0.5)
                window.picture(window.place / f"film_{number:02}.png", SHOWN)
            window.join(sorted(window.place.glob("film_*.png")), target, DELAY, LAST_DELAY, WIDTH)
        finally:
            window.stop()


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
