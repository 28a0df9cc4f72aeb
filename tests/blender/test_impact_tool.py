"""Aiming an impact: live cracks under the pointer, a drag, a click that places it, and Escape."""

import functools
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.operators import impact_aim, impact_tool
from fracture_addon.blender.operators.impact_aim import ImpactAim
from fracture_addon.blender.operators.impact_tool import FRACTURE_OT_impact_tool
from fracture_addon.blender.process import run
from fracture_addon.blender.process.live_cracks import LiveCracks
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import impact_drawing
from fracture_addon.blender.setup.impact_pointer import DOUBLING_PIXELS, MOST, ImpactPointer
from fracture_addon.core.data.crack_preview import BodyCracks, Cracks
from fracture_addon.core.data.errors import WorkerError
from tests.blender.snapshot import snapshot
from tests.blender.waiting import wait

TOP = Vector((0.02, 0.0, 0.6)), Vector((0.0, 0.0, -1.0))
FOUND = Cracks((BodyCracks([[0.0, 0.0, 0.6], [0.1, 0.0, 0.6]], [[0, 1]], 3, 4.0, 2000.0, 0.02),))


class Answers(LiveCracks):
    """Answers at once, without a worker."""

    def __init__(self):
        super().__init__()
        self.asked, self.at_once = [], []

    def ask(self, job, *, at_once):
        self.asked.append(job)
        self.at_once.append(at_once)

    def poll(self):
        return FOUND if self.asked else None


@pytest.fixture
def tool(cube, monkeypatch):
    monkeypatch.setattr(impact_aim, "LiveCracks", Answers)
    cube.fracture.resolution = 300
    made = ImpactAim()
    made.begin(bpy.context)
    return made


def test_a_ray_finds_the_surface_and_the_way_into_the_object(cube):
    found = impact_drawing.cast(bpy.context, cube, Vector((0.02, 0.0, 5.0)), Vector((0.0, 0.0, -1.0)))
    assert list(found[0]) == pytest.approx([0.02, 0.0, 0.6])
    assert list(found[1]) == pytest.approx([0.0, 0.0, -1.0])
    cube.data.flip_normals()
    again = impact_drawing.cast(bpy.context, cube, Vector((0.02, 0.0, 5.0)), Vector((0.0, 0.0, -1.0)))
    assert list(again[1]) == pytest.approx([0.0, 0.0, -1.0])
    assert impact_drawing.cast(bpy.context, cube, Vector((3.0, 0.0, 5.0)), Vector((0.0, 0.0, -1.0))) is None


def test_a_drag_doubles_the_strength_and_the_wheel_widens_the_disc():
    pointer = ImpactPointer(*TOP, 0.01, 3.0)
    assert pointer.dragged(DOUBLING_PIXELS).strength == pytest.approx(6.0)
    assert pointer.dragged(-DOUBLING_PIXELS).strength == pytest.approx(1.5)
    assert pointer.dragged(4000.0).strength == MOST
    assert pointer.widened(2).radius > pointer.widened(1).radius > pointer.radius
    assert pointer.widened(3).widened(-3).radius == pytest.approx(pointer.radius)


def test_the_disc_lies_on_the_surface_and_the_arrow_ends_there():
    lines = ImpactPointer(*TOP, 0.01).lines(1.0)
    disc, arrow = lines[:48], lines[48]
    assert np.linalg.norm(disc - np.array(TOP[0]), axis=2) == pytest.approx(np.full((48, 2), 0.01))
    assert disc[:, :, 2] == pytest.approx(np.full((48, 2), 0.6))
    assert arrow[1] == pytest.approx(np.array(TOP[0]))
    assert arrow[0, 2] > 0.6


def test_cracks_are_asked_for_when_the_pointer_is_still(tool):
    tool.point_at(TOP, 0.0)
    moved = tool._changed_at
    assert not tool.tick(moved + 0.1)
    assert tool._live.asked == []
    assert tool.tick(moved + 0.16)
    (job,) = tool._live.asked
    (impact,) = job.bodies[0].impacts
    assert job.is_at_rest
    assert impact.point == pytest.approx(np.array(TOP[0]))
    assert tool._live.at_once == [True]
    assert tool.cracks == FOUND.bodies[0]
    assert "8\u00a0kN" in tool.text()
    assert "3 pieces" in tool.text()
    tool.tick(moved + 10.0)
    assert len(tool._live.asked) == 1


def test_the_header_says_that_the_first_cracks_are_computed(tool):
    tool.point_at(TOP, 0.0)
    assert "computing" not in tool.text()
    tool._live._process = object()
    assert "computing the cracks" in tool.text()
    tool.tick(tool._changed_at + 1.0)
    assert tool._live.is_busy
    assert "computing" not in tool.text()


def test_violence_detail_and_seed_change_the_cracks_at_once(tool, cube):
    tool.point_at(TOP, 0.0)
    tool.tick(tool._changed_at + 1.0)
    for name, value in {"violence": 2.5, "resolution": 400, "seed": 7}.items():
        setattr(bpy.context.scene.fracture_selected, name, value)
        tool.tick(0.0)
    assert len(tool._live.asked) == 4
    assert tool._live.at_once == [True, False, False, False]
    last = tool._live.asked[-1].bodies[0].settings
    assert (last.cracks.violence, last.filling.cell_count, last.seed) == (2.5, 400, 7)


def test_settings_ask_for_nothing_before_the_pointer_was_over_the_object(tool, cube):
    cube.fracture.seed = 3
    tool.tick(0.0)
    assert tool._live.asked == []


def test_beside_the_object_the_impact_stays_and_a_press_does_not_place_it(tool):
    tool.point_at(TOP, 0.0)
    tool.tick(tool._changed_at + 1.0)
    aimed = tool.pointer
    tool.point_at(None, 0.0)
    tool.press(0.0)
    assert not tool.is_pressed
    assert tool.pointer is aimed
    assert tool.cracks == FOUND.bodies[0]


def test_an_error_ends_the_questions(tool, monkeypatch):
    def fail(_job, **_how):
        raise WorkerError("the worker was killed")

    monkeypatch.setattr(tool._live, "ask", fail)
    tool.point_at(TOP, 0.0)
    assert impact_tool._tick(tool) == impact_tool.TICK_SECONDS
    monkeypatch.setattr(impact_aim, "STILL_SECONDS", 0.0)
    assert impact_tool._tick(tool) is None
    assert str(tool.error) == "the worker was killed"


# Left edge of the sidebar, pixels.
SIDEBAR = 800
# Of the interface.
UI_SCALE = 2.0


class Operator:
    """The operator's methods, on an object that Blender does not own."""

    modal = FRACTURE_OT_impact_tool.modal
    _finish = FRACTURE_OT_impact_tool._finish
    _point = FRACTURE_OT_impact_tool._point
    _show = FRACTURE_OT_impact_tool._show
    _shown = ""

    def __init__(self, tool):
        self.tool = tool
        self._drawing = impact_drawing.add(tool, 0.2, bpy.context.scene)
        self._timer = None
        self._tick = functools.partial(impact_tool._tick, tool)
        self.reports = []

    def report(self, _kind, text):
        self.reports.append(text)


def event(kind, value="PRESS", x=0.0, over=10):
    """An event, by default over the viewport and not over the sidebar."""
    place = {"mouse_region_x": x, "mouse_region_y": 0.0, "mouse_x": over, "mouse_y": 10}
    return SimpleNamespace(type=kind, value=value, ctrl=False, **place)


@pytest.fixture
def context():
    removed = []
    sidebar = SimpleNamespace(type="UI", x=SIDEBAR, y=0, width=200, height=600)
    area = SimpleNamespace(header_text_set=lambda text: None, tag_redraw=lambda: None, regions=[sidebar])
    return SimpleNamespace(
        area=area,
        object=bpy.context.object,
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        selected_objects=bpy.context.selected_objects,
        window_manager=SimpleNamespace(event_timer_remove=removed.append),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=UI_SCALE)),
        removed=removed,
    )


def test_a_click_places_the_impact_that_was_drawn(tool, cube, context, monkeypatch):
    monkeypatch.setattr(impact_drawing, "under_pointer", lambda *_: TOP)
    operator = Operator(tool)
    for step in (event("MOUSEMOVE"), event("WHEELUPMOUSE"), event("LEFTMOUSE")):
        assert operator.modal(context, step) == {"RUNNING_MODAL"}
    assert operator.modal(context, event("MOUSEMOVE", x=UI_SCALE * DOUBLING_PIXELS)) == {"RUNNING_MODAL"}
    drawn = operator.tool.question().bodies[0].impacts[-1]
    assert operator.modal(context, event("LEFTMOUSE", "RELEASE")) == {"FINISHED"}
    assert context.removed == [None]
    group = cube.fracture
    assert group.impact_strength == pytest.approx(8.0)
    assert group.impact_object["fracture_impact_of"] == cube
    placed = ImpactAim()
    placed.begin(bpy.context)
    (impact,) = placed._job.bodies[0].impacts
    assert impact.point == pytest.approx(drawn.point, abs=1e-6)
    assert impact.direction == pytest.approx(drawn.direction, abs=1e-6)
    assert (impact.strength, impact.radius) == pytest.approx((drawn.strength, drawn.radius))


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_escape_leaves_no_trace(tool, context, monkeypatch, key):
    monkeypatch.setattr(impact_drawing, "under_pointer", lambda *_: TOP)
    before = snapshot()
    operator = Operator(tool)
    for step in (event("MOUSEMOVE"), event("LEFTMOUSE"), event("MOUSEMOVE", x=50.0), event("TIMER")):
        operator.modal(context, step)
    assert operator.modal(context, event(key)) == {"CANCELLED"}
    assert context.removed == [None]
    assert snapshot() == before


@pytest.mark.parametrize("key", ["X", "DEL", "Z", "TAB"])
def test_nothing_else_changes_the_scene_meanwhile(tool, context, key):
    operator = Operator(tool)
    assert operator.modal(context, event(key)) == {"RUNNING_MODAL"}
    operator._finish(context, {"CANCELLED"})


def test_the_view_can_be_moved_meanwhile(tool, context):
    operator = Operator(tool)
    assert operator.modal(context, event("MIDDLEMOUSE")) == {"PASS_THROUGH"}
    assert operator.modal(context, event("WHEELUPMOUSE")) == {"PASS_THROUGH"}
    operator._finish(context, {"CANCELLED"})


def test_the_mouse_works_in_the_sidebar_and_keys_do_not(tool, context, monkeypatch):
    monkeypatch.setattr(impact_drawing, "under_pointer", lambda *_: TOP)
    operator = Operator(tool)
    operator.modal(context, event("MOUSEMOVE"))
    for step in ("MOUSEMOVE", "LEFTMOUSE", "INBETWEEN_MOUSEMOVE", "WHEELUPMOUSE"):
        assert operator.modal(context, event(step, over=SIDEBAR + 5)) == {"PASS_THROUGH"}
    assert operator.modal(context, event("LEFTMOUSE", "RELEASE", over=SIDEBAR + 5)) == {"PASS_THROUGH"}
    assert operator.modal(context, event("X", over=SIDEBAR + 5)) == {"RUNNING_MODAL"}
    assert operator.modal(context, event("ESC", over=SIDEBAR + 5)) == {"CANCELLED"}


def test_a_run_or_an_error_ends_the_tool(tool, context, monkeypatch):
    operator = Operator(tool)
    assert operator.modal(context, event("TIMER")) == {"PASS_THROUGH"}
    monkeypatch.setattr(impact_tool.run, "active", object())
    assert operator.modal(context, event("TIMER")) == {"CANCELLED"}
    monkeypatch.setattr(impact_tool.run, "active", None)
    operator = Operator(tool)
    tool.error = WorkerError("the worker was killed")
    assert operator.modal(context, event("TIMER")) == {"CANCELLED"}
    assert operator.reports == ["the worker was killed"]


def test_a_script_is_told_to_use_add_impact(cube):
    with pytest.raises(RuntimeError, match="use Add Impact"):
        bpy.ops.fracture.impact_tool()


def test_the_worker_answers_the_newest_question_and_keeps_its_process(cube):
    cube.fracture.resolution = 300
    tool = ImpactAim()
    tool.begin(bpy.context)
    live = LiveCracks()
    for strength in (2.0, 4.0, 0.5):
        tool.pointer = ImpactPointer(*TOP, 0.01, strength)
        live.ask(tool.question(), at_once=False)
    pid = live._process.pid
    answers = []
    wait(SimpleNamespace(poll=lambda: answers.append(live.poll()) or not live.is_busy))
    found = [answer.bodies[0] for answer in answers if answer is not None]
    first, last = (item for item in found if item.piece_count)
    assert first.load_factor == pytest.approx(2.0, rel=1e-3)
    assert last.load_factor == pytest.approx(0.5, rel=1e-3)
    assert last.piece_count == 1
    live.ask(tool.question(), at_once=False)
    assert live._process.pid == pid
    live.close()
    assert not live.is_busy


def test_cracks_arrive_while_they_run_and_another_place_ends_them(cube):
    cube.fracture.resolution = 1000
    tool = ImpactAim()
    tool.begin(bpy.context)
    tool.pointer = ImpactPointer(*TOP, 0.01, 8.0)
    live, answers = LiveCracks(), []

    def poll():
        answers.append(live.poll())
        return answers[-1] is not None

    live.ask(tool.question(), at_once=True)
    pid = live._process.pid
    wait(SimpleNamespace(poll=poll))
    early = answers[-1].bodies[0]
    assert early.piece_count == 0
    assert len(early.lines) > 0
    tool.pointer = ImpactPointer(*TOP, 0.01, 0.5)
    live.ask(tool.question(), at_once=True)
    answers.clear()
    wait(SimpleNamespace(poll=lambda: answers.append(live.poll()) or not live.is_busy))
    (last,) = (answer.bodies[0] for answer in answers if answer is not None)
    assert last.load_factor == pytest.approx(0.5, rel=1e-3)
    live.ask(tool.question(), at_once=True)
    assert live._process.pid == pid
    live.close()


def test_a_preview_without_a_break_says_which_violence_breaks(struck, scene):
    struck.fracture.impact_strength, scene.fracture.break_anyway = 0.437, False
    bpy.ops.fracture.preview_break()
    text = run.message.text
    assert "'Cube' does not break: its load is 0.44 of the breaking load" in text
    struck.fracture.violence = float(text.rsplit(" ", 1)[1])
    assert struck.fracture.violence == pytest.approx(2.3)
    bpy.ops.fracture.preview_break()
    assert "does not break:" not in run.message.text


def test_preview_break_shows_lines_on_the_surface_and_clear_removes_them(struck, scene):
    before = snapshot()
    assert bpy.ops.fracture.preview_break() == {"FINISHED"}
    preview = result_lookup.preview_of(struck)
    assert preview.name == "Cube Cracks"
    assert len(preview.data.edges) > 3
    assert len(preview.data.polygons) == 0
    bpy.context.view_layer.update()
    points = np.array([preview.matrix_world @ vertex.co for vertex in preview.data.vertices])
    away = np.abs(np.abs(points - [0.0, 0.0, 0.5]).max(axis=1) - 0.1)
    assert away.max() < 1e-5
    assert bpy.ops.fracture.remove_preview() == {"FINISHED"}
    assert snapshot() == before
