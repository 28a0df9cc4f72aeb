"""The contact sheet and the progress bar."""

import io
from dataclasses import replace

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from fracture_addon.blender.command_line import camera, contact_sheet, film
from fracture_addon.blender.command_line.progress_bar import ProgressBar
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, materials
from fracture_addon.core.data.errors import WorkerError
from fracture_addon.core.data.recording import NEVER, Deformed, Recording, Track
from fracture_addon.core.data.surface import joined
from tests import shapes
from tests.blender import halves


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def baked(cube, scene, monkeypatch):
    monkeypatch.setattr(contact_sheet, "TILE", (32, 24))
    monkeypatch.setattr(film, "SIZE", (64, 48))
    monkeypatch.setattr(contact_sheet, "SAMPLES", 1)
    monkeypatch.setattr(contact_sheet, "SAMPLES_ALONE", 1)
    job = read_job(bpy.context, [cube], (1, 20))
    recording = halves.recording(job, 8)
    bake.bake(bpy.context, job, recording, [cube], {})
    return recording


def sliding(recording, speed, last):
    """The recording with fragments that slide from the break on, in m a frame, and lie still from a frame on."""
    fragments = []
    for piece in recording.fragments:
        row = piece.birth_frame - recording.frame_start
        seconds = np.clip(np.arange(len(piece.poses)) - row, 0, last - piece.birth_frame)
        poses = np.where(seconds[:, None] > 0, piece.poses[row], piece.poses)
        poses[:, 1] += speed * seconds
        fragments.append(replace(piece, poses=poses))
    return replace(recording, fragments=tuple(fragments))


@pytest.mark.parametrize(
    ("break_frame", "last", "wanted"),
    [
        (8, 38, [7, 8, 9, 12, 16, 22, 29, 38]),
        (8, 11, [7, 8, 9, 10, 11]),
        (1, 37, [1, 2, 5, 10, 17, 26, 37]),
        (38, 40, [37, 38, 39, 40]),
    ],
)
def test_frames_follow_the_motion_from_the_break_to_its_end(cube, scene, break_frame, last, wanted):
    recording = halves.recording(read_job(bpy.context, [cube], (1, 40)), break_frame)
    assert contact_sheet.chosen_frames(sliding(recording, 1e-3, last), 40) == wanted


def test_fragments_that_left_the_picture_get_no_frame(cube, scene):
    radius = 0.5 * float(np.linalg.norm(cube.dimensions))
    recording = halves.recording(read_job(bpy.context, [cube], (1, 40)), 8)
    recording = sliding(recording, 0.3 * radius, 40)
    center, last = recording.bodies[0].poses[7, :3], contact_sheet.chosen_frames(recording, 40)[-1]
    away = [np.linalg.norm(piece.poses[last - 1, :3] - center) for piece in recording.fragments]
    assert 1.8 * radius < min(away) < 2.6 * radius


def test_without_a_break_there_is_as_much_motion_between_frames():
    poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (71, 1))
    still = Track("Ball", np.zeros(3), NEVER, poses.copy())
    # It waits for 30 frames.
    poses[:, 0] = np.maximum(np.arange(71.0) - 30.0, 0.0)
    frames = contact_sheet.chosen_frames(Recording(1, (replace(still, poses=poses),)), 71)
    assert (frames[0], len(frames)) == (1, contact_sheet.TILES)
    assert np.diff(poses[np.array(frames) - 1, 0]) == pytest.approx(0.98 * 40 / 7, abs=1.0)
    frames = contact_sheet.chosen_frames(Recording(1, (still,)), 71)
    assert np.diff(frames) == pytest.approx(0.98 * 70 / 7, abs=1.0)


def test_without_a_break_frames_follow_a_deformable_body(scene):
    """It waits for 30 frames, and then moves as far on each."""
    bar = shapes.box((1.0, 1.0, 1.0))
    points = np.repeat(bar.points[None], 71, axis=0)
    points[:, :, 0] += np.maximum(np.arange(71.0) - 30.0, 0.0)[:, None]
    whole = np.zeros(len(bar.faces), np.int32)
    deformed = Deformed(0, bar, whole.astype(bool), whole, points.astype(np.float32))
    track = Track("Bar", np.zeros(3), 1, np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (71, 1)))
    frames = contact_sheet.chosen_frames(Recording(1, (track,), deformed=(deformed,)), 71)
    assert frames[0] == 1
    assert np.diff(points[np.array(frames) - 1, 0, 0]) == pytest.approx(0.98 * 40 / 7, abs=1.0)


def test_a_deformable_body_breaks_when_a_crack_opens(scene):
    """Two halves of a bar share their middle until the third frame."""
    halves_of_bar = [shapes.box((1.0, 1.0, 1.0), (float(row), 0.0, 0.0)) for row in range(2)]
    surface = joined(halves_of_bar)
    piece = np.repeat(np.arange(2, dtype=np.int32), [len(half.faces) for half in halves_of_bar])
    points = np.repeat(surface.points[None].astype(np.float32), 4, axis=0)
    closed = Deformed(0, surface, np.zeros(len(surface.faces), bool), piece, points)
    track = Track("Bar", np.zeros(3), 1, np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (4, 1)))
    assert contact_sheet.first_break(Recording(1, (track,), deformed=(closed,))) is None
    moved = points.copy()
    moved[2:, len(halves_of_bar[0].points) :, 0] += 0.1
    assert contact_sheet.first_break(Recording(1, (track,), deformed=(replace(closed, points=moved),))) == 3


def test_the_sheet_shows_the_object(baked, scene, tmp_path):
    path = tmp_path / "sheet.png"
    contact_sheet.render_sheet(bpy.context, baked, 20, path)
    image = bpy.data.images.load(str(path))
    gap = contact_sheet.GAP
    assert tuple(image.size) == (4 * 32 + 3 * gap, 2 * 24 + gap)
    pixels = np.array(image.pixels).reshape(image.size[1], image.size[0], 4)
    # The first tile is at the top left.
    first, last = pixels[-24:, :32, :3], pixels[:24, :32, :3]
    assert first.std() > 0.01
    assert last.std() > 0.01
    assert np.abs(first - last).max() > 0.05


def test_the_film_begins_with_the_object_in_view_before_the_break_and_has_all_frames_after_it(baked, scene, tmp_path):
    """The object falls a few centimetres a frame: it comes into view some frames before it breaks in the eighth."""
    path = tmp_path / "halves.webm"
    film.render_film(bpy.context, baked, 12, path)
    clip = bpy.data.movieclips.load(str(path))
    assert tuple(clip.size) == (64, 48)
    first = 13 - clip.frame_duration
    assert 1 < first <= 8 - film.APPROACH
    assert camera.sees(scene, contact_sheet.action(scene, baked, [first]))
    assert not camera.sees(scene, contact_sheet.action(scene, baked, [first - 1]))
    assert [item.name for item in tmp_path.iterdir()] == ["halves.webm"]


def test_pieces_that_fly_away_from_a_deformable_body_do_not_widen_the_picture():
    """One of its four corners flies off; the others stay."""
    rest = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    torn = rest + np.array([[0.1, 0.0, 0.0]])
    torn[3] += 50.0
    assert np.array_equal(contact_sheet._gathered(np.array([rest, torn]), 0), rest)
    assert np.array_equal(contact_sheet._gathered(np.array([rest, torn]), 1), torn[[0, 1, 2, 4]])


@pytest.mark.parametrize("size", [(32, 24), (24, 32)])
def test_each_shot_is_in_the_middle_of_its_picture_and_the_largest_fills_it(baked, scene, size):
    shots = [contact_sheet.action(scene, baked, [frame]) for frame in (3, 8, 14)]
    places = camera.aim(scene, shots, contact_sheet.VIEW, size, contact_sheet.LENS)
    scene.render.resolution_x, scene.render.resolution_y = size
    placed, largest = scene.camera, []
    for points, place in zip(shots, places, strict=True):
        placed.location = place
        bpy.context.view_layer.update()
        seen = [world_to_camera_view(scene, placed, Vector(point))[:2] for point in points.tolist()]
        across = 2.0 * np.array(seen) - 1.0
        assert across.max(axis=0) == pytest.approx(-across.min(axis=0), abs=0.1)
        largest.append(np.abs(across).max())
    assert max(largest) == pytest.approx(1.0 / camera.MARGIN, rel=0.01)


def test_glass_is_glass_and_gets_more_rays(baked, scene):
    material = bpy.data.materials.new("Tumbler")
    material.use_nodes = True
    inputs = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED").inputs
    inputs["Alpha"].default_value = 0.2
    contact_sheet._set_up(scene, (32, 24))
    plain = scene.cycles.denoising_input_passes
    materials.make_glass(material)
    assert materials.is_glass(material)
    assert inputs["Alpha"].default_value == 1.0
    bpy.data.objects["Cube"].data.materials.append(material)
    contact_sheet._set_up(scene, (32, 24))
    assert scene.cycles.denoising_input_passes != plain
    inside = materials.interior(bpy.data.objects["Cube"])
    assert materials.is_glass(inside)


@pytest.mark.parametrize("color", [(0.8, 0.2, 0.1), (0.1, 0.4, 0.6)])
def test_the_inside_has_the_mean_colour_of_a_texture(cube, color):
    material = bpy.data.materials.new("Glaze")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = bpy.data.images.new("Glaze", 4, 4, float_buffer=True)
    pixels = np.ones((16, 4), np.float32)
    pixels[:8, :3], pixels[8:, :3] = 0.0, color
    texture.image.pixels.foreach_set(pixels.ravel())
    material.node_tree.links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    cube.data.materials.append(material)
    assert materials.interior(cube).diffuse_color[:3] == pytest.approx(np.array(color) / 2.0, abs=1e-6)


def test_a_picture_that_cannot_be_written_is_named(baked, tmp_path):
    (tmp_path / "sheet.png").mkdir()
    with pytest.raises(WorkerError, match="cannot be rendered"):
        contact_sheet.render_sheet(bpy.context, baked, 20, tmp_path / "sheet.png")
    with pytest.raises(WorkerError, match=r"film .*cannot be rendered.*omit --film"):
        film.render_film(bpy.context, baked, 8, tmp_path / "sheet.png")


def test_a_terminal_gets_a_bar():
    stream = Terminal()
    with ProgressBar(stream) as bar:
        bar.show("Filling", 0.0)
        bar.show("Filling", 0.5)
    assert stream.getvalue().count("\r") == 2
    assert stream.getvalue().endswith("[###############---------------]  50%\n")


def test_a_terminal_shows_a_note_behind_the_bar_and_takes_it_away():
    stream = Terminal()
    with ProgressBar(stream) as bar:
        bar.show("Filling", 0.5, "No sign of life for 12 s")
        bar.show("Filling", 0.5)
    _, silent, after = stream.getvalue().split("\r")
    assert silent.endswith("50%  No sign of life for 12 s")
    assert after.rstrip().endswith("50%")
    assert len(after.rstrip("\n")) >= len(silent)


def test_a_file_gets_one_line_about_a_silence():
    stream = io.StringIO()
    with ProgressBar(stream) as bar:
        for seconds in range(5, 60):
            bar.show("Filling 'Vase'", 0.5, f"No sign of life for {seconds} s")
    assert stream.getvalue() == "Filling 'Vase': No sign of life for 5 s\nFilling 'Vase' 50%\n"


def test_a_file_gets_plain_lines():
    stream = io.StringIO()
    with ProgressBar(stream) as bar:
        for share in np.linspace(0.0, 1.0, 101):
            bar.show("Filling" if share < 0.5 else "Breaking", share)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "Filling 0%"
    assert len(lines) <= 12
    assert "\r" not in stream.getvalue()
