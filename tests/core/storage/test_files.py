"""A file is replaced as a whole or not at all."""

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fracture_addon.core.storage import files
from fracture_addon.core.storage.files import replacing

ROOT = Path(__file__).parents[3]


def test_a_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path, sync=True) as part:
        assert (part.parent, part.suffix) == (tmp_path, ".json")
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, error):
    path = tmp_path / "report.json"
    path.write_text("old")

    def write():
        with replacing(path) as part:
            part.write_text("ne")
            raise error

    with pytest.raises(type(error)):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_written_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "report.json"):
        pass


def test_what_a_killed_process_left_is_removed_once_it_is_old(tmp_path):
    old = time.time() - 2 * files.HALF_WRITTEN_SECONDS
    names = {
        f"{files.PART}{'0' * 16}.blend": None,
        f"{files.PART}{'1' * 16}.blend": "young",
        f"{files.PART}notes.blend": "of the artist",
        "scene.blend": "of the artist",
    }
    for name, reason in names.items():
        (tmp_path / name).touch()
        if reason != "young":
            os.utime(tmp_path / name, (old, old))
    with replacing(tmp_path / "out.blend") as part:
        part.touch()
    assert {path.name for path in tmp_path.iterdir()} == {"out.blend", *(name for name in names if names[name])}


def test_processes_that_replace_one_file_leave_one_whole_file(tmp_path):
    """Two processes write the same file 50 times each; a reader sees only whole files."""
    path, size = tmp_path / "result.bin", 200_000
    path.write_bytes(b"0" * size)
    program = (
        "import sys, pathlib; from fracture_addon.core.storage.files import replacing\n"
        "path, letter = pathlib.Path(sys.argv[1]), sys.argv[2].encode()\n"
        "for _ in range(50):\n"
        "    with replacing(path) as part, open(part, 'wb') as file:\n"
        f"        [file.write(letter * 1000) for _ in range({size} // 1000)]\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(path), letter], cwd=ROOT) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes()
        assert len(content) == size
        seen.update(content)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(set(path.read_bytes())) == 1
    assert seen <= set(b"0ab")
    assert [item.name for item in tmp_path.iterdir()] == ["result.bin"]
