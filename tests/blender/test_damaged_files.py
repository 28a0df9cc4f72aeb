"""Files whose headers lie are refused in one line, and do not end Blender."""

import struct

import pytest

from fracture_addon.blender.command_line import command, exit_codes, import_model
from fracture_addon.core.data.errors import InvalidMeshError

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
BINARY = b"".join(struct.pack("<3f", *point) for point in POINTS)
BINARY += b"".join(struct.pack("<B3i", 3, *face) for face in FACES)
TEXT = "".join(f"{x} {y} {z}\n" for x, y, z in POINTS) + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)
HEADER = """ply
format {form} 1.0
comment made by hand
element vertex {points}
property float x
property float y
property float z
element face {faces}
property list uchar int vertex_indices
end_header
"""
EDGES = "element edge 1\nproperty int vertex1\nproperty int vertex2\n"


def ply(form="ascii", points=4, faces=4, header=HEADER) -> bytes:
    body = TEXT.encode() if form == "ascii" else BINARY
    return header.format(form=form, points=points, faces=faces).encode() + body


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
@pytest.mark.parametrize("element", ["points", "faces"])
@pytest.mark.parametrize("count", [400, 100_000_000, 2_000_000_000, 4_000_000_000, 10**20])
def test_a_count_that_the_file_has_no_room_for_is_refused_with_both_numbers(tmp_path, registered, form, element, count):
    path = tmp_path / "model.ply"
    path.write_bytes(ply(form, **{element: count}))
    name = {"points": "vertex", "faces": "face"}[element]
    message = rf"declares {count:,} rows of '{name}', but has only [\d,]+ bytes"
    with pytest.raises(InvalidMeshError, match=message) as caught:
        import_model.open_input(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("element vertex {points}", "element vertex", "damaged"),
        ("element vertex {points}", "element vertex -5", "element vertex -5"),
        ("element vertex {points}", "element vert {points}", "no coordinates"),
        ("element face {faces}", "element face M", "element face M"),
        ("element face {faces}", "elementface {faces}", "elementface"),
        ("property float y", "property flot y", "flot"),
        ("property list uchar int vertex_indices", "property list uchar int corners", "no vertex indices"),
        ("format {form} 1.0\n", "", "no format"),
        ("end_header\n", "", "no header"),
    ],
)
def test_a_malformed_header_is_refused_with_its_fault(tmp_path, registered, old, new, reason):
    path = tmp_path / "model.ply"
    path.write_bytes(ply(header=HEADER.replace(old, new)))
    with pytest.raises(InvalidMeshError, match=f"{reason}.*; export it again"):
        import_model.open_input(path)


@pytest.mark.parametrize(
    "content",
    [
        ply(),
        ply("binary_little_endian"),
        ply(header=HEADER.replace("float z\n", "double z\nproperty uchar red\n")).replace(b" 0\n", b" 0 7\n"),
        ply(header=HEADER.replace("end_header", f"{EDGES}end_header")) + b"0 1\n",
        ply().rstrip(),
        ply(header=HEADER.replace("\n", "\r\n")),
    ],
    ids=["text", "binary", "more properties", "more elements", "no last line end", "line ends of Windows"],
)
def test_whole_files_are_imported(tmp_path, registered, content):
    path = tmp_path / "model.ply"
    path.write_bytes(content)
    (found,) = import_model.open_input(path)
    assert len(found.data.vertices) == 4


def stl(count: int) -> bytes:
    triangle = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    return bytes(80) + struct.pack("<I", count) + triangle


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("many.stl", stl(4_000_000_000)),
        ("short.stl", bytes(50)),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3000000000\n"),
        ("huge.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999999\n"),
    ],
)
def test_other_formats_with_false_numbers_end_in_a_message_or_an_object(tmp_path, registered, name, content):
    """Their importers check the numbers themselves."""
    path = tmp_path / name
    path.write_bytes(content)
    found, message = [], ""
    try:
        found = import_model.open_input(path)
    except InvalidMeshError as error:
        message = str(error)
    assert bool(found) != bool(message)
    assert all(len(obj.data.vertices) <= 4 for obj in found)
    assert "\n" not in message
    assert "Traceback" not in message


def test_the_command_refuses_a_false_header_with_one_line_and_its_exit_code(tmp_path, registered, capfd):
    path = tmp_path / "model.ply"
    path.write_bytes(ply("binary_little_endian", points=4_000_000_000))
    assert command.main([str(path), "--output", str(tmp_path / "out.blend")]) == exit_codes.REFUSED
    said = capfd.readouterr().err.strip()
    assert "declares 4,000,000,000 rows of 'vertex'" in said
    assert "\n" not in said
    assert not (tmp_path / "out.blend").exists()
