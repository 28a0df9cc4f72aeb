"""Pull a Piece: the piece under the pointer, its outline, clicks, drags and Escape."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fracture_addon.blender.operators import pull_piece
from fracture_addon.blender.operators.pull_piece import FRACTURE_OT_pull_piece
from fracture_addon.blender.panels import menus
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import piece_pointer
from fracture_addon.blender.setup.piece_pointer import Outline, pointer
from fracture_addon.blender.write import bake
from tests.blender import halves
from tests.blender.snapshot import snapshot

BREAK, FRAME = 5, 9
DOWN = Vector((0.0, 0.0, -1.0))


@pytest.fixture
def halved(cube, scene):
    """A cube that comes apart across X, on a frame when both halves are visible."""
    scene.frame_start, scene.frame_end = 1, 24
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    bake.bake(bpy.context, job, halves.recording(job, BREAK), [cube], {})
    scene.frame_set(FRAME)
    yield cube
    pointer.show(None)


def pieces_of(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def above(piece):
    """A point high above the middle of a piece."""
    return piece.matrix_world.translation + Vector((0.0, 0.0, 5.0))


def test_a_ray_finds_the_nearest_piece_and_nothing_behind_other_objects(halved):
    for piece in pieces_of(halved):
        found, point = piece_pointer.cast(bpy.context, above(piece), DOWN)
        assert found == piece
        assert point.z > piece.location.z
    assert piece_pointer.cast(bpy.context, Vector((9.0, 9.0, 9.0)), DOWN)[0] is None
    bpy.ops.mesh.primitive_plane_add(size=9.0, location=(0.0, 0.0, 3.0))
    assert piece_pointer.cast(bpy.context, above(piece), DOWN)[0] is None


def test_before_the_break_there_is_no_piece(halved, scene):
    place = above(pieces_of(halved)[0])
    scene.frame_set(BREAK - 2)
    assert piece_pointer.cast(bpy.context, place, DOWN)[0] is None


def test_a_copy_of_a_piece_is_no_piece(halved):
    first, _ = pieces_of(halved)
    copy = first.copy()
    bpy.context.scene.collection.objects.link(copy)
    assert piece_pointer.is_piece(first)
    assert not piece_pointer.is_piece(copy)


@pytest.mark.parametrize(("eye", "is_point"), [((0.0, 0.0, 50.0), True), ((0.0, 0.0, 1.0), False)])
def test_the_outline_of_a_cube_from_above_is_its_upper_square(cube, eye, is_point):
    shape = Outline.of(cube.data)
    faces, lines = shape.seen(np.eye(4), np.array(eye), is_point)
    top = cube.data.vertices[0].co.length / 3**0.5
    assert faces[:, :, 2] == pytest.approx(np.full((2, 3), top))
    assert len(lines) == 4
    assert lines[:, :, 2] == pytest.approx(np.full((4, 2), top))


class Pull:
    """The operator's methods, on an object that Blender does not own."""

    invoke = FRACTURE_OT_pull_piece.invoke
    modal = FRACTURE_OT_pull_piece.modal
    cancel = FRACTURE_OT_pull_piece.cancel
    _change = FRACTURE_OT_pull_piece._change

    def __init__(self, click="MENU"):
        self.click, self.said = click, []

    def report(self, _kind, text):
        self.said.append(text)


@pytest.fixture
def viewport(monkeypatch):
    """A viewport without a window. The pointer is over ``over``."""
    area = SimpleNamespace(type="VIEW_3D", header_text_set=lambda text: None)
    manager = SimpleNamespace(modal_handler_add=lambda operator: None)
    made = SimpleNamespace(area=area, window_manager=manager, over=None)
    monkeypatch.setattr(piece_pointer, "under", lambda context, x, y: (context.over, Vector((1.0, 2.0, 3.0))))
    monkeypatch.setattr(piece_pointer, "redraw", lambda: None)
    return made


def event(kind, value="NOTHING"):
    return SimpleNamespace(type=kind, value=value, mouse_region_x=0, mouse_region_y=0)


def drag(pull, viewport, start, end):
    viewport.over = start
    began = pull.invoke(viewport, event("LEFTMOUSE", "PRESS"))
    viewport.over = end
    pull.modal(viewport, event("MOUSEMOVE"))
    return began


def test_a_press_beside_the_pieces_selects(halved, viewport):
    assert Pull().invoke(viewport, event("LEFTMOUSE", "PRESS")) == {"CANCELLED", "PASS_THROUGH"}


def test_a_drag_to_another_piece_glues_it_there(halved, viewport, scene):
    first, second = pieces_of(halved)
    pull = Pull()
    assert drag(pull, viewport, first, second) == {"RUNNING_MODAL"}
    assert (pointer.piece, pointer.goal) == (first.name, second.name)
    assert piece_pointer.text(bpy.context) == f"Glue to {second.name}"
    before = np.linalg.inv(second.matrix_world) @ np.array(first.matrix_world)
    assert pull.modal(viewport, event("LEFTMOUSE", "RELEASE")) == {"FINISHED"}
    assert pull.said == []
    assert pointer.piece == ""
    scene.frame_set(20)
    assert np.allclose(np.linalg.inv(second.matrix_world) @ np.array(first.matrix_world), before, atol=1e-4)


def test_a_click_changes_the_piece_as_chosen(halved, viewport, scene):
    first, second = pieces_of(halved)
    second.select_set(True)
    pull = Pull("HIDE")
    drag(pull, viewport, first, first)
    assert pull.modal(viewport, event("LEFTMOUSE", "RELEASE")) == {"FINISHED"}
    scene.frame_set(FRAME)
    assert (first.hide_viewport, second.hide_viewport) == (True, False)
    assert second.select_get()


def test_the_highlight_stays_on_the_piece_while_its_menu_is_open(halved, viewport, monkeypatch):
    """Blender passes no events on before the menu closes."""
    first, second = pieces_of(halved)
    monkeypatch.setattr(Pull, "_change", lambda self, name, goal: None)
    pull = Pull()
    drag(pull, viewport, first, first)
    assert pull.modal(viewport, event("LEFTMOUSE", "RELEASE")) == {"RUNNING_MODAL"}
    viewport.over = second
    piece_pointer.show_at(
        SimpleNamespace(mode="OBJECT", region_data=True, region=SimpleNamespace(x=0, y=0), over=second), (5, 5)
    )
    assert pointer.piece == first.name
    assert pull.modal(viewport, event("MOUSEMOVE")) == {"FINISHED", "PASS_THROUGH"}
    assert not pointer.is_held
    assert pointer.piece == ""


def test_an_error_is_reported_and_nothing_changes(halved, viewport):
    first, _ = pieces_of(halved)
    before = snapshot()
    pull = Pull("RESTORE")  # the run is not stored
    drag(pull, viewport, first, first)
    pull.modal(viewport, event("LEFTMOUSE", "RELEASE"))
    (text,) = pull.said
    assert text.startswith("The run of this result is no longer in the cache; press Shatter")
    assert snapshot() == before


@pytest.mark.parametrize("end", [("ESC", "PRESS"), ("RIGHTMOUSE", "PRESS"), ("LEFTMOUSE", "RELEASE")])
def test_escape_and_a_release_beside_the_pieces_leave_no_trace(halved, viewport, end):
    first, _ = pieces_of(halved)
    before = snapshot()
    pull = Pull("HIDE")
    drag(pull, viewport, first, None)
    assert pull.modal(viewport, event(*end)) == {"CANCELLED"}
    assert (pointer.piece, pointer.goal, pointer.outlines) == ("", "", {})
    assert snapshot() == before


def test_the_text_has_the_name_and_the_mass(halved):
    first, _ = pieces_of(halved)
    pointer.show(first)
    name, _, mass = piece_pointer.text(bpy.context).partition(", ")
    assert name == first.name
    assert mass.endswith("kg")


def test_every_change_is_in_the_menu_or_a_drag(registered):
    changes = {key for key, *_ in pull_piece.CHANGES}
    assert {key for key, *_ in menus.PIECE_CHANGES} == (changes - {"GLUE"}) | {"BREAK"}


def test_the_tool_is_off_without_a_result(cube):
    assert not bpy.ops.fracture.pull_piece.poll()
    assert not bpy.ops.fracture.break_again.poll()


@pytest.mark.parametrize(("x", "start"), [(100.0, 132.0), (568.0, 600.0), (569.0, 337.0), (790.0, 558.0)])
def test_the_name_of_a_piece_is_not_written_below_the_sidebar(x, start):
    assert piece_pointer.text_start(x, width=200.0, right=800.0, scale=2.0) == start
