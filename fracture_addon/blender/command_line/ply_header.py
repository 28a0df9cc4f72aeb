"""Check of a PLY file's header, because a wrong header makes Blender's importer abort Blender.

The importer (Blender 4.2 to 5.2) allocates memory for the declared counts before it reads a row.
"""

from __future__ import annotations

from pathlib import Path

from ...core.data.errors import InvalidMeshError

# Bytes per number in a binary file, by type.
SIZES = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), 1),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "float", "int32", "uint32", "float32"), 4),
    **dict.fromkeys(("double", "float64"), 8),
}
FORMATS = ("ascii", "binary_little_endian", "binary_big_endian")
# Fewest bytes per number in a text file: a digit and a blank.
TEXT_SIZE = 2
# The importer reads counts as 32-bit integers.
MOST_ROWS = 2**31 - 1
# Bytes, the longest accepted header.
LONGEST_HEADER = 1_000_000


def check(path: Path) -> None:
    """Refuse a PLY file with a wrong header.

    Raises:
        InvalidMeshError: The header is malformed, or declares more data than the file contains.
        OSError: The file cannot be read.
    """
    with open(path, "rb") as file:
        start = file.read(LONGEST_HEADER)
    header, end, _ = start.partition(b"end_header")
    lines = header.decode("latin-1").splitlines()
    if not lines or lines[0].strip() != "ply" or not end:
        raise InvalidMeshError(f"'{path}' is not a PLY file: it has no header; export it again")
    try:
        elements, is_text = _read(lines[1:])
    except (ValueError, KeyError, IndexError) as error:
        raise InvalidMeshError(f"'{path}' has a damaged PLY header ({error}); export it again") from error
    room = path.stat().st_size - len(header) - len(end)
    for name, (count, sizes) in elements.items():
        if count > MOST_ROWS or count * sum(TEXT_SIZE if is_text else size for size in sizes) > room:
            raise InvalidMeshError(
                f"'{path}' declares {count:,} rows of '{name}', but has only {room:,} bytes for all its data; "
                "export it again"
            )
    if "vertex" not in elements:
        raise InvalidMeshError(f"'{path}' has a damaged PLY header (no vertex element); export it again")


def _read(lines: list[str]) -> tuple[dict[str, tuple[int, list[int]]], bool]:
    """Return the count and the fewest bytes of each property, by element; and whether the data is text.

    Raises:
        ValueError, KeyError, IndexError: A line is malformed.
    """
    elements: dict[str, tuple[int, list[int]]] = {}
    names: dict[str, list[str]] = {}
    form, latest = "", ""
    for line in lines:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and words[1] in FORMATS:
            form = words[1]
        elif words[0] == "element" and words[2].isdecimal() and words[1] not in elements:
            latest = words[1]
            elements[latest], names[latest] = (int(words[2]), []), []
        elif words[0] == "property":
            size = SIZES[words[2]] + 0 * SIZES[words[3]] if words[1] == "list" else SIZES[words[1]]
            elements[latest][1].append(size)
            names[latest].append(words[4] if words[1] == "list" else words[2])
        else:
            raise ValueError(f"line '{line.strip()[:40]}'")
    if not form:
        raise ValueError("no format")
    if not {"x", "y", "z"} <= set(names.get("vertex", ())):
        raise ValueError("no coordinates")
    if "face" in names and not {"vertex_indices", "vertex_index"} & set(names["face"]):
        raise ValueError("no vertex indices")
    return elements, form == "ascii"
