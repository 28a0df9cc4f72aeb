"""The modal part of the operators that start a run, on an operator that Blender does not know."""

from types import SimpleNamespace

import bpy
import pytest

from fracture_addon.blender.operators import run_operator
from fracture_addon.blender.operators.run_operator import RunOperator
from fracture_addon.blender.process import run


class Operator(RunOperator):
    """An operator that counts its deliveries."""

    bl_idname = "fracture.shatter"
    options = SimpleNamespace(is_repeat=False, is_repeat_last=False)
    delivered = 0

    def as_keywords(self):
        """Return a value that the artist chose."""
        return {"motion": "TWIST"}

    def deliver(self, context, finished):
        """Count."""
        self.delivered += 1

    def report(self, kind, text):
        """Fail: nothing is to be reported."""
        raise AssertionError(text)


@pytest.fixture
def finished(struck, scene, monkeypatch):
    """An operator whose run has a result that nobody has taken in yet."""
    scene.frame_start, scene.frame_end = 1, 6
    monkeypatch.setattr("fracture_addon.blender.process.job_process.JobProcess.start", lambda process, job: None)
    operator = Operator()
    operator._run = run.begin(bpy.context, [struck])
    operator._run.process.result = object()
    yield operator
    run.stop()


def window(is_playing, *areas):
    return SimpleNamespace(screen=SimpleNamespace(is_animation_playing=is_playing, areas=areas))


def context_of(*windows):
    return SimpleNamespace(window=windows[0], window_manager=SimpleNamespace(windows=windows))


VIEWPORT = SimpleNamespace(type="VIEW_3D", x=0, y=100, width=200, height=100)
TIMELINE = SimpleNamespace(type="DOPESHEET_EDITOR", x=0, y=0, width=200, height=100)


def press(y):
    return SimpleNamespace(type="ESC", value="PRESS", mouse_x=50, mouse_y=y)


def test_escape_over_the_viewport_is_for_the_run(registered):
    assert run_operator._is_for_run(context_of(window(False, VIEWPORT, TIMELINE)), press(150))


def test_escape_elsewhere_is_not_for_the_run(registered):
    assert not run_operator._is_for_run(context_of(window(False, VIEWPORT, TIMELINE)), press(50))


@pytest.mark.parametrize("playing", [(True, False), (False, True)])
def test_escape_that_stops_playback_is_not_for_the_run(registered, playing):
    windows = [window(is_playing, VIEWPORT, TIMELINE) for is_playing in playing]
    assert not run_operator._is_for_run(context_of(*windows), press(150))


def test_a_result_waits_for_the_end_of_the_render(finished, monkeypatch):
    monkeypatch.setattr(run, "_delay", lambda context: "waiting for the render to end")
    for _ in range(3):
        assert finished.modal(bpy.context, SimpleNamespace(type="TIMER", value="")) == {"PASS_THROUGH"}
    assert finished.delivered == 0
    monkeypatch.setattr(run, "_delay", lambda context: "")
    assert finished.modal(bpy.context, SimpleNamespace(type="TIMER", value="")) == {"FINISHED"}
    assert finished.delivered == 1
    assert run.active is None


def test_no_run_starts_during_a_render(cube, registered, monkeypatch):
    assert bpy.ops.fracture.shatter.poll()
    monkeypatch.setattr(run, "is_rendering", lambda: True)
    assert not bpy.ops.fracture.shatter.poll()


@pytest.mark.parametrize(
    ("operator", "reason"),
    [
        ("RENDER_OT_opengl", "waiting for the render to end"),
        ("TRANSFORM_OT_translate", "waiting until you let go of what you move"),
        ("FRACTURE_OT_shatter", ""),
    ],
)
def test_a_result_waits_for_the_end_of_a_modal_operator(registered, operator, reason):
    busy = SimpleNamespace(modal_operators=[SimpleNamespace(bl_idname=operator)])
    idle = SimpleNamespace(modal_operators=[])
    context = SimpleNamespace(window_manager=SimpleNamespace(windows=[idle, busy]), mode="OBJECT")
    assert run._delay(context) == reason


def test_a_result_that_waits_can_be_cancelled(finished, monkeypatch):
    monkeypatch.setattr(run_operator, "_is_for_run", lambda context, event: True)
    assert finished.modal(bpy.context, press(150)) == {"CANCELLED"}
    assert finished.delivered == 0
    assert run.message.text == "Cancelled"


def test_a_window_that_closes_ends_the_run_without_its_result(finished):
    finished.cancel(bpy.context)
    assert finished.delivered == 0
    assert run.active is None


@pytest.mark.parametrize("option", ["is_repeat", "is_repeat_last"])
def test_repeating_in_a_window_starts_another_run_with_the_same_values(registered, monkeypatch, option):
    started = []
    monkeypatch.setattr(run_operator, "_has_window", lambda context: True)
    again = SimpleNamespace(shatter=lambda *how, **values: started.append((how, values)))
    monkeypatch.setattr(bpy.ops, "fracture", again, raising=False)
    operator = Operator()
    operator.bl_idname = "FRACTURE_OT_shatter"  # as Blender gives it to an instance
    operator.options = SimpleNamespace(**{"is_repeat": False, "is_repeat_last": False, option: True})
    assert operator.execute(bpy.context) == {"CANCELLED"}
    assert started == [(("INVOKE_DEFAULT",), {"motion": "TWIST"})]


def test_a_library_that_is_gone_from_blender_asks_for_a_restart(finished, monkeypatch):
    def deliver(context, run):
        raise ModuleNotFoundError("No module named 'scipy.spatial'")

    reports = []
    monkeypatch.setattr(finished, "deliver", deliver)
    monkeypatch.setattr(finished, "report", lambda kind, text: reports.append(text))
    assert finished.modal(bpy.context, SimpleNamespace(type="TIMER", value="")) == {"CANCELLED"}
    assert "restart Blender" in reports[0]
    assert run.active is None
