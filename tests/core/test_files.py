"""A file is replaced as a whole or not at all."""

import errno
import os
import stat

import pytest

from fracture_addon.core.files import replacing


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
