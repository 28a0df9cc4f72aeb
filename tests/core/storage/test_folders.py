"""Folders of the program: created private and marked, and the only ones that are ever removed."""

import ast
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fracture_addon.core.data.errors import FolderError
from fracture_addon.core.storage import folders

ROOT = Path(__file__).resolve().parents[3]
ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="owners and modes of other systems")


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The artist's working directory, with a mesh in a subfolder."""
    (tmp_path / "work" / "meshes").mkdir(parents=True)
    (tmp_path / "work" / "meshes" / "vase.obj").write_text("v 0 0 0\n")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_folder_is_private_and_marked(tmp_path):
    made = folders.make(tmp_path / "a" / "b")
    assert made == tmp_path / "a" / "b"
    assert names(made) == [folders.MARKER]
    if os.name != "nt":
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    (made / "file").touch()
    assert folders.make(made) == made


def test_what_lies_below_a_marked_folder_is_removed(tmp_path):
    made = folders.make(tmp_path / "ours")
    (made / "a" / "b").mkdir(parents=True)
    folders.remove(made / "a")
    assert names(made) == [folders.MARKER]
    folders.remove(made)
    folders.remove(made)
    assert not made.exists()


@pytest.mark.parametrize("path", ["", ".", "meshes", "../work/meshes"])
def test_an_empty_or_relative_path_is_refused(work, path):
    before = names(work)
    for act in (folders.remove, folders.make):
        with pytest.raises(FolderError, match="absolute path"):
            act(Path(path))
    with pytest.raises(FolderError, match="absolute path"):
        folders.RunFolder(Path(path or "meshes"))
    assert names(work) == before


def test_a_folder_of_others_is_never_removed(work):
    before = names(work)
    for path in (work, work / "meshes", work.parent, work / ".." / "work" / "meshes"):
        with pytest.raises(FolderError, match=r"did not create it|absolute path"):
            folders.remove(path)
    assert names(work) == before


def test_a_link_is_removed_and_not_followed(work, tmp_path):
    made = folders.make(tmp_path / "ours")
    (made / "link").symlink_to(work)
    (made / "inner").mkdir()
    (made / "inner" / "link").symlink_to(work)
    with pytest.raises(FolderError, match="did not create it"):
        folders.remove(made / "link" / "meshes")
    folders.remove(made / "link")
    folders.remove(made)
    assert (work / "meshes" / "vase.obj").exists()


def test_a_folder_with_files_of_others_is_not_taken_over(work):
    with pytest.raises(FolderError, match="contains files that Fracture did not create"):
        folders.make(work / "meshes")
    (work / "file").touch()
    with pytest.raises(FolderError, match="file or a link"):
        folders.make(work / "file")
    assert names(work) == ["file", "meshes", "meshes/vase.obj"]


@ON_POSIX
def test_a_folder_that_others_can_write_is_refused(tmp_path):
    made = folders.make(tmp_path / "ours")
    made.chmod(0o777)
    with pytest.raises(FolderError, match="other users \\(mode 0777\\)"):
        folders.make(made)


@ON_POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")
def test_a_folder_of_another_user_is_refused(tmp_path):
    made = folders.make(tmp_path / "ours")
    os.chown(made, 12345, 12345)
    with pytest.raises(FolderError, match="another user \\(uid 12345\\)"):
        folders.make(made)
    with pytest.raises(FolderError, match="did not create it"):
        folders.remove(made)


def test_a_folder_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"'.*inner' cannot be written .*; free some space"):
        folders.make(tmp_path / "file" / "inner")


def killed_run(parent) -> Path:
    """The folder of a run whose process was killed."""
    code = (
        "import sys, time; from pathlib import Path; from fracture_addon.core.storage.folders import RunFolder\n"
        "run = RunFolder(Path(sys.argv[1])); (run.path / 'job.npz').touch()\n"
        "print(run.path, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(parent)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as run:
        path = Path(run.stdout.readline().strip())
        run.send_signal(signal.SIGTERM)
        run.wait(30.0)
    assert (path / "job.npz").exists()
    return path


def make_old(path):
    old = time.time() - 2 * folders.YOUNG_SECONDS
    os.utime(path / folders.MARKER, (old, old))


def test_folders_of_dead_runs_are_removed_at_the_next_start_and_no_others(tmp_path):
    dead, young = killed_run(tmp_path), killed_run(tmp_path)
    make_old(dead)
    living = folders.RunFolder(tmp_path)
    make_old(living.path)
    named_alike = tmp_path / f"{folders.RUN_PREFIX}mine"
    named_alike.mkdir()
    (named_alike / "scene.blend").touch()
    started = folders.RunFolder(tmp_path)
    found = {path for path in tmp_path.iterdir() if path.is_dir()}
    assert found == {young, living.path, started.path, named_alike}
    living.remove()
    started.remove()
    assert {path for path in tmp_path.iterdir() if path.is_dir()} == {young, named_alike}


def test_temporary_files_go_with_their_folder(tmp_path):
    with folders.temporary(tmp_path) as outer, folders.temporary_files_in(outer), folders.temporary() as inner:
        assert inner.parent == outer
    assert list(tmp_path.iterdir()) == []


# Methods and functions that remove folders, by the name under which they are called.
REMOVERS = {"rmtree", "rmdir", "removedirs", "TemporaryDirectory", "mkdtemp", "move"}


def calls_of(path):
    """(name, line) of what a source file calls as a method or a function of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ImportFrom):
            yield from ((item.name, node.lineno) for item in node.names)


def test_no_other_module_removes_folders():
    sources = [path for path in (ROOT / "fracture_addon").rglob("*.py") if path.name != "folders.py"]
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sources
        for name, line in calls_of(path)
        if name in REMOVERS - {"move"} or (name == "move" and "shutil.move" in path.read_text(encoding="utf-8"))
    ]
    assert len(sources) > 100
    assert found == []
    assert "rmtree" in {name for name, _ in calls_of(Path(folders.__file__))}
