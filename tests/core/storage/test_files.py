"""A file is replaced as a whole or not at all."""

import errno
import os
import stat
import time

import pytest

from fracture_addon.core.storage import files
from fracture_addon.core.storage.files import replacing


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
