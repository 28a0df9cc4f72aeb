"""Check of a glTF file, binary or text, because Blender's importer trusts its numbers and the names of its files.

The importer (Blender 4.2 to 5.2) reads outside of its memory where a stride is negative, allocates memory for the
declared count of an accessor without data, and opens any path that a buffer names.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...core.data.errors import InvalidMeshError

# glTF 2.0, section 3.6.2.2: bytes per component by its code, and components per element by its type.
SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
# Section 4.4: bytes before the first chunk; code of the chunk with the buffer.
CHUNKS_START, BINARY = 12, b"BIN\0"
# Errors of a file whose values are missing or have another type.
FAULTS = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, struct.error)


def check(path: Path) -> None:
    """Refuse a glTF file that declares more data than it has, or names a file outside of its folder.

    Raises:
        InvalidMeshError: The file is malformed, too short, or one of its files is missing or elsewhere.
        OSError: The file cannot be read.
    """
    data = path.read_bytes()
    try:
        content, own_bytes = _parts(data)
        sizes = [
            _buffer_size(path, buffer, own_bytes if index == 0 else None)
            for index, buffer in enumerate(content.get("buffers", ()))
        ]
        _check_views(path, content, sizes)
        _check_accessors(path, content, sum(sizes))
    except FAULTS as error:
        raise InvalidMeshError(f"'{path}' is a damaged glTF file ({_reason(error)}); export it again") from error


def _parts(data: bytes) -> tuple[dict[str, Any], int | None]:
    """Return the JSON object of a file, and the bytes of the buffer inside a binary file; ``None`` without one."""
    if data[:4] != b"glTF":
        return json.loads(data), None
    length, _ = struct.unpack_from("<I4s", data, CHUNKS_START)
    start = CHUNKS_START + 8
    text, rest = data[start : start + length], data[start + length :]
    if len(rest) < 8 or rest[4:8] != BINARY:
        return json.loads(text), None
    return json.loads(text), min(struct.unpack_from("<I", rest)[0], len(rest) - 8)


def _buffer_size(path: Path, buffer: dict[str, Any], own_bytes: int | None) -> int:
    """Return the declared size of a buffer, bytes; refuse a buffer whose data is shorter."""
    declared, uri = _count(buffer, "byteLength"), buffer.get("uri")
    if uri is None:
        if own_bytes is None:
            raise ValueError("a buffer has no data")
        room = own_bytes
    elif uri.startswith("data:"):
        _, found, text = uri.partition(";base64,")
        if not found:
            raise ValueError("a buffer inside the file is not in base64")
        room = len(base64.b64decode(text))
    else:
        file, folder = (path.parent / unquote(uri.replace("\\", "/"))).resolve(), path.parent.resolve()
        if not file.is_relative_to(folder):
            raise InvalidMeshError(f"'{path}' needs '{file}', which is outside of its folder; move it into the folder")
        if not file.is_file():
            raise InvalidMeshError(f"'{path}' needs the file '{file}', which does not exist; put it there")
        room = file.stat().st_size
    if declared > room:
        raise _too_short(path, declared, "a buffer", room)
    return declared


def _check_views(path: Path, content: dict[str, Any], sizes: list[int]) -> None:
    for view in content.get("bufferViews", ()):
        end = _count(view, "byteOffset", 0) + _count(view, "byteLength")
        room = sizes[_count(view, "buffer")]
        if end > room:
            raise _too_short(path, end, "a part of a buffer", room)


def _check_accessors(path: Path, content: dict[str, Any], total: int) -> None:
    """Check that the rows of each accessor fit into its part of a buffer."""
    # A compressed mesh has no rows; its decoder checks the counts.
    is_compressed = "KHR_draco_mesh_compression" in content.get("extensionsUsed", ())
    for rows in _rows(content):
        count, size = _count(rows, "count"), SIZES[rows["componentType"]] * COMPONENTS[rows["type"]]
        if "bufferView" in rows:
            view = content["bufferViews"][_count(rows, "bufferView")]
            stride, room = _count(view, "byteStride", size), view["byteLength"]
            if stride < size:
                raise ValueError(f"rows of {size} bytes every {stride} bytes")
            needed = _count(rows, "byteOffset", 0) + max(count - 1, 0) * stride + (size if count else 0)
        else:  # all zeros, apart from sparse values: no more rows than an accessor with a byte for each could have
            needed, room = (0 if is_compressed else count), total
        if needed > room:
            raise _too_short(path, needed, f"{count:,} rows", room)


def _rows(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each accessor, and the indices and values of sparse ones as accessors."""
    for accessor in content.get("accessors", ()):
        yield accessor
        if sparse := accessor.get("sparse"):
            yield {**sparse["indices"], "count": sparse["count"], "type": "SCALAR"}
            kind = {name: accessor[name] for name in ("componentType", "type")}
            yield {**sparse["values"], **kind, "count": sparse["count"]}


def _count(item: dict[str, Any], name: str, default: int | None = None) -> int:
    """Return a value that has to be a whole number, 0 or more."""
    value = item[name] if default is None else item.get(name, default)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {str(value)[:40]}")
    return value


def _too_short(path: Path, needed: int, what: str, room: int) -> InvalidMeshError:
    return InvalidMeshError(
        f"'{path}' declares {needed:,} bytes for {what}, but has only {room:,} bytes for it; export it again"
    )


def _reason(error: Exception) -> str:
    missing = isinstance(error, KeyError)
    return f"{error} is missing" if missing else " ".join(str(error).split()) or type(error).__name__
