"""glTF files with one or several files, and those whose numbers or names of files are wrong."""

import base64
import json
import struct

import numpy as np
import pytest

from fracture_addon.blender.command_line import command, exit_codes, import_model
from fracture_addon.core.data.errors import InvalidMeshError

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "<f4")
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], "<u2")
DATA = POINTS.tobytes() + FACES.tobytes()
INSIDE = {"uri": "data:application/octet-stream;base64," + base64.b64encode(DATA).decode()}


def content(**buffer) -> dict:
    """The JSON of a tetrahedron."""
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [{"byteLength": 72, **buffer}],
    }


def glb(made: dict) -> bytes:
    """The binary form, with the data inside."""
    text = json.dumps(made).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(DATA), b"BIN\0") + DATA
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def gltf(made: dict) -> bytes:
    """The text form."""
    return json.dumps(made).encode()


def sparse(made: dict) -> dict:
    """The same with its last point as a sparse value."""
    made["accessors"][0]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": 1, "byteOffset": 10, "componentType": 5123},
        "values": {"bufferView": 0, "byteOffset": 36},
    }
    return made


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("model.glb", glb(content())),
        ("model.gltf", gltf(content(uri="points%20and%20faces.bin"))),
        ("model.gltf", gltf(content(**INSIDE))),
        ("model.gltf", glb(content())),
        ("model.gltf", gltf(sparse(content(**INSIDE)))),
    ],
    ids=["binary", "two files", "text", "binary under the other name", "sparse"],
)
def test_whole_files_are_imported(tmp_path, registered, name, data):
    (tmp_path / "points and faces.bin").write_bytes(DATA)
    path = tmp_path / name
    path.write_bytes(data)
    (found,) = import_model.open_input(path)
    assert len(found.data.vertices) == len(found.data.polygons) == 4


def changed(**change) -> dict:
    """The JSON with values of the first accessor, view or buffer replaced."""
    made = content(**INSIDE)
    for group, values in change.items():
        made[group][0].update(values)
    return made


def without_view(count: int) -> dict:
    made = content(**INSIDE)
    del made["accessors"][0]["bufferView"]
    made["accessors"][0]["count"] = count
    return made


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (changed(accessors={"count": 4_000_000_000}), "declares 48,000,000,000 bytes .* has only 48 bytes"),
        (changed(accessors={"byteOffset": 4}), "declares 52 bytes for 4 rows"),
        (changed(accessors={"count": -3}), "count is -3"),
        (changed(accessors={"count": "many"}), "count is many"),
        (changed(accessors={"componentType": 5124}), "5124 is missing"),
        (changed(accessors={"bufferView": 7}), "out of range"),
        (changed(bufferViews={"byteStride": -4}), "byteStride is -4"),
        (changed(bufferViews={"byteStride": 4}), "rows of 12 bytes every 4 bytes"),
        (changed(bufferViews={"byteLength": 400}), "declares 400 bytes for a part of a buffer"),
        (changed(buffers={"byteLength": 400}), "declares 400 bytes for a buffer, but has only 72"),
        (changed(buffers={"uri": "data:,points"}), "not in base64"),
        (content(), "a buffer has no data"),
        (content(uri="other.bin"), "needs the file .*other.bin', which does not exist"),
        (content(uri="../secret.bin"), "outside of its folder"),
        (content(uri="%2e%2e%5csecret.bin".replace("%5c", "/")), "outside of its folder"),
        (content(uri="/dev/zero"), "outside of its folder"),
        (without_view(4_000_000_000), "declares 4,000,000,000 bytes for 4,000,000,000 rows"),
        ([], "damaged"),
        ({"buffers": 3}, "damaged"),
    ],
)
def test_wrong_numbers_and_files_are_refused_in_one_line(tmp_path, registered, made, reason):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(DATA)
    path = folder / "model.gltf"
    path.write_bytes(gltf(made))
    with pytest.raises(InvalidMeshError, match=reason) as caught:
        import_model.open_input(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        glb(content())[:8] + struct.pack("<I", 4_000_000_000) + glb(content())[12:],
        glb(content())[:-20],
        glb(content())[:16],
        b"[" * 100_000,
    ],
    ids=["length of the file", "cut off", "no chunk", "nested"],
)
def test_damaged_files_are_refused_in_one_line(tmp_path, registered, data):
    path = tmp_path / "model.glb"
    path.write_bytes(data)
    with pytest.raises(InvalidMeshError, match="export it again") as caught:
        import_model.open_input(path)
    assert "\n" not in str(caught.value)


def test_the_command_names_the_missing_file_and_its_exit_code(tmp_path, registered, capfd):
    path = tmp_path / "model.gltf"
    path.write_bytes(gltf(content(uri="model.bin")))
    assert command.main([str(path), "--output", str(tmp_path / "out.blend")]) == exit_codes.REFUSED
    said = capfd.readouterr().err.strip()
    assert f"'{tmp_path / 'model.bin'}', which does not exist" in said
    assert "\n" not in said
