"""The artist's workflow in a window of a real Blender, by mouse and keys.

Keeps a picture of each step in the folder that FRACTURE_WINDOW_PICTURES names.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from tests.package.window.driver import Window

PICTURES = os.environ.get("FRACTURE_WINDOW_PICTURES", "")

# Positions of buttons in Blender 4.3 on a screen of 1280 by 800 pixels.
TAB = (1043, 255)
SHATTER = (860, 312)
CLEAR = (985, 314)
CANCEL = (975, 327)
SELECT_TOOL, IMPACT_TOOL, PEN_TOOL, PULL_TOOL = (30, 109), (30, 415), (30, 447), (30, 481)
ON_THE_JAR, RIGHT_OF_THE_JAR, LOWER_ON_THE_JAR = (456, 170), (556, 170), (466, 190)
FAR_FROM_THE_JAR = (150, 680)
# Mean difference of two pictures' values, 0 to 255, from which on they show different things.
CLEAR_DIFFERENCE = 5.0
SIDEBAR, WINDOW = "420x560+640+60", "1058x690+0+28"


@pytest.fixture(params=[("Blender_Dark", 1), ("Blender_Light", 2)], ids=["dark", "light_double"])
def window(debian_blender, build, tmp_path_factory, request):
    """Blender with the sidebar open on the Fracture tab."""
    archive = build("3.13", "--blender-min", "4.2.0")
    enter = Path(debian_blender).with_name("enter")
    window = Window(enter, archive, tmp_path_factory.mktemp("window"), *request.param)
    window.name = request.node.callspec.id
    try:
        window.start()
        open_the_sidebar(window)
        yield window
    finally:
        window.stop()


def open_the_sidebar(window):
    window.key("n")
    time.sleep(2.0)  # panels glide into place
    window.click_until(*TAB, lambda state: state["tab"] == "Fracture")


def keep(window, name, crop=SIDEBAR):
    time.sleep(2.0)
    if PICTURES:
        window.picture(Path(PICTURES) / f"{name}_{window.name}.png", crop)


def shatter(window):
    return window.click_until(*SHATTER, lambda state: state["active"])


def idle(window, seconds=900.0):
    return window.wait(lambda state: not state["active"], seconds)


def ends(pid, seconds=60.0):
    """Whether a process is gone after some time: a killed one stays until its parent took note of it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def shatter_returns_at_once_shows_its_progress_and_bakes(window):
    keep(window, "panel")
    started = shatter(window)
    assert started["pieces"] == 0
    under_way = window.wait(lambda state: state["share"] > 0.3 or not state["active"], 900.0)
    assert under_way["stage"], under_way["message"]
    keep(window, "panel_running")
    done = idle(window)
    assert done["pieces"] > 2, done["message"]
    assert done["tick"] - started["tick"] > 2  # the window's own timer ran on meanwhile
    keep(window, "panel_done")


def undo_is_one_step(window):
    window.key("ctrl+z")
    window.wait(lambda state: state["pieces"] == 0)
    window.key("ctrl+shift+z")
    window.wait(lambda state: state["pieces"] > 2)


def the_pieces_lie_on_the_floor(window):
    window.key("shift+Right")
    window.wait(lambda state: state["frame"] == 48)
    keep(window, "window_broken", WINDOW)
    a_piece_is_hidden_and_another_breaks_again(window)
    window.key("ctrl+z")
    window.wait(lambda state: state["frame"] < 48)
    window.key("ctrl+z")
    window.wait(lambda state: state["pieces"] == 0)


def a_piece_is_hidden_and_another_breaks_again(window):
    """By the menu at the piece; undo takes back each of the two, also in the picture of the viewport."""
    before = window.click_until(*PULL_TOOL, lambda state: state["piece_at"])
    place = before["piece_at"]
    picture = seen_at(window, place)
    choose_in_the_menu_of(window, place, "6", lambda state: state["shown"] == before["shown"] - 1)
    hidden = wait_for_difference(window, place, picture, lambda difference: difference > CLEAR_DIFFERENCE)
    window.key("ctrl+z")
    window.wait(lambda state: state["shown"] == before["shown"])
    wait_for_difference(window, place, picture, lambda difference: difference < hidden / 3)
    choose_in_the_menu_of(window, place, "8", lambda state: state["active"] or state["pieces"] > before["pieces"])
    broken = idle(window)
    assert broken["pieces"] > before["pieces"], broken["message"]
    keep(window, "broken_again", WINDOW)
    window.key("ctrl+z")
    window.wait(lambda state: (state["pieces"], state["impacts"]) == (before["pieces"], before["impacts"]))
    window.click_until(*SELECT_TOOL, lambda state: state["tool"] == "builtin.select_box")


def choose_in_the_menu_of(window, place, key, condition):
    """Open the menu of a piece and press a key there: again if a busy Blender missed the click or the key."""
    for _ in range(3):
        window.click_until(*place, lambda state: state["menu"])
        keep(window, f"pull_a_piece_{key}", WINDOW)
        window.key(key, *place)
        if window.reaches(condition, 60.0):
            return
    raise AssertionError(f"the menu has no effect; last state {window.state}")


def seen_at(window, place):
    """The pixels around a place, while the pointer is far from it: else the tool highlights what is there."""
    window.drag(*FAR_FROM_THE_JAR)
    return window.pixels(f"24x24+{place[0] - 12}+{place[1] - 12}")


def wait_for_difference(window, place, picture, condition, seconds=300.0):
    """The first mean difference of the pixels around a place from earlier ones that meets a condition.

    The same view differs a little from time to time, because Blender smooths edges over several redraws.
    """
    end = time.monotonic() + seconds
    while True:
        difference = np.abs(seen_at(window, place) - picture).mean()
        if condition(difference):
            return difference
        assert time.monotonic() < end, f"the view around {place} differs by {difference}"


def the_impact_tool_places_one_impact(window):
    """And Esc leaves no trace, undo removes the impact, and redo brings it back."""
    window.click_until(*IMPACT_TOOL, lambda state: state["tool"] == "fracture.impact")
    aim_at_the_jar(window)
    window.wait(lambda state: state["cracks"])
    keep(window, "impact_tool", WINDOW)
    window.key("Escape", *RIGHT_OF_THE_JAR)
    window.wait(lambda state: not state["aiming"])
    window.release()
    assert window.state["impacts"] == 0
    aim_at_the_jar(window)
    window.release()
    window.wait(lambda state: state["impacts"] == 1)
    keep(window, "impact_placed", WINDOW)
    window.key("ctrl+z")
    window.wait(lambda state: state["impacts"] == 0)
    window.key("ctrl+shift+z")
    window.wait(lambda state: state["impacts"] == 1)
    window.key("ctrl+z")
    window.wait(lambda state: state["impacts"] == 0)
    window.click_until(*SELECT_TOOL, lambda state: state["tool"] == "builtin.select_box")


def aim_at_the_jar(window):
    """Press until the tool runs, then drag."""
    for _ in range(5):
        window.press(*ON_THE_JAR)
        if window.reaches(lambda state: state["aiming"], 20.0):
            window.drag(*RIGHT_OF_THE_JAR)
            return
        window.release()
    raise AssertionError("the tool does not start")


def the_pen_draws_one_crack(window):
    """And undo removes it."""
    window.click_until(*PEN_TOOL, lambda state: state["tool"] == "fracture.draw_cracks")
    for _ in range(5):  # a busy Blender has the keys of the tool before for a while
        window.press(*ON_THE_JAR)
        window.drag(*LOWER_ON_THE_JAR)
        window.release()
        if window.reaches(lambda state: state["drawn"] == 1, 20.0):
            break
    assert window.state["drawn"] == 1
    keep(window, "drawn_crack", WINDOW)
    window.key("ctrl+z")
    window.wait(lambda state: state["drawn"] == 0)
    window.click_until(*SELECT_TOOL, lambda state: state["tool"] == "builtin.select_box")


def a_saved_result_is_cleared_after_loading(window):
    """And undo brings it back."""
    shatter(window)
    pieces = idle(window)["pieces"]
    assert pieces > 2
    window.key("ctrl+s")
    window.wait(lambda state: state["saved"])
    (window.place / "load").touch()
    loaded = window.wait(lambda state: state["tick"] > 2 and not (window.place / "load").exists() and state["saved"])
    assert loaded["pieces"] == pieces
    time.sleep(2.0)
    window.click_until(*CLEAR, lambda state: state["pieces"] == 0)
    keep(window, "cleared")
    window.key("ctrl+z")
    window.wait(lambda state: state["pieces"] == pieces)
    window.key("ctrl+shift+z")
    window.wait(lambda state: state["pieces"] == 0)


def a_result_waits_for_the_end_of_a_render(window):
    (window.place / "hold_render").touch()
    shatter(window)
    window.key("ctrl+F12")
    window.wait(lambda state: state["rendering"])
    waiting = window.wait(lambda state: state["stage"].startswith("Done: "), 900.0)
    assert "waiting for the render to end" in waiting["stage"]
    keep(window, "panel_waiting")
    assert window.state["rendering"]
    assert window.state["pieces"] == 0
    (window.place / "hold_render").unlink()
    seen = window.wait(lambda state: not state["rendering"] or state["pieces"])
    assert seen["rendered"] == 48
    assert window.wait(lambda state: state["pieces"] > 2)["message"] == ""


def repeating_runs_in_the_background(window):
    """And in that run, an ESC that stops the playback cancels nothing."""
    runs_take_long_from_now_on(window)
    window.key("shift+r")
    started = window.wait(lambda state: state["active"])
    window.wait(lambda state: state["tick"] > started["tick"] + 5)
    window.key("space")
    window.wait(lambda state: state["playing"])
    window.key("Escape")
    stopped = window.wait(lambda state: not state["playing"])
    assert stopped["active"]
    keep(window, "panel_repeated")
    window.key("Escape")
    assert idle(window)["message"] == "Cancelled"
    window.key("ctrl+z")
    window.wait(lambda state: state["pieces"] == 0)


def runs_take_long_from_now_on(window):
    (window.place / "finer").touch()
    window.wait(lambda state: state["cells"] and state["cells"][0] > 3000)


def escape_cancels(window):
    pid = shatter(window)["pid"]
    window.key("Escape")
    state = idle(window)
    assert state["message"] == "Cancelled"
    assert state["pieces"] == 0
    assert ends(pid)
    keep(window, "panel_cancelled")


def the_cancel_button_cancels(window):
    pid = shatter(window)["pid"]
    time.sleep(2.0)
    assert window.click_until(*CANCEL, lambda state: not state["active"])["message"] == "Cancelled"
    assert ends(pid)


def a_new_file_stops_the_child(window):
    time.sleep(2.0)
    pid = shatter(window)["pid"]
    (window.place / "new_file").touch()
    assert idle(window)["message"] == ""
    assert ends(pid)


def quitting_stops_the_child(window):
    window.wait(lambda state: state["cells"] and not state["tab"])
    open_the_sidebar(window)  # a new file comes with its own
    pid = shatter(window)["pid"]
    window.key("ctrl+q")
    window.blender.wait(300.0)
    assert ends(pid)


def test_the_artists_way(window):
    shatter_returns_at_once_shows_its_progress_and_bakes(window)
    undo_is_one_step(window)
    the_pieces_lie_on_the_floor(window)
    the_impact_tool_places_one_impact(window)
    the_pen_draws_one_crack(window)
    a_saved_result_is_cleared_after_loading(window)
    a_result_waits_for_the_end_of_a_render(window)
    repeating_runs_in_the_background(window)
    runs_take_long_from_now_on(window)
    escape_cancels(window)
    the_cancel_button_cancels(window)
    a_new_file_stops_the_child(window)
    quitting_stops_the_child(window)
    assert "Traceback" not in window.log()
