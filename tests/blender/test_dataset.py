"""The command ``dataset``: breaks of a small box, read as programs read the data set Breaking Bad."""

import hashlib
import json
import os

import numpy as np
import pytest

from fracture_addon.blender.command_line import dataset, many_runs
from fracture_addon.core.data.errors import WorkerError
from fracture_addon.farm import results
from tests.blender.models import BOX

# Long runs of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


@pytest.fixture
def box(tmp_path, scene):
    path = tmp_path / "boxes" / "box.obj"
    path.parent.mkdir()
    path.write_text(BOX)
    return path


@pytest.fixture
def here(monkeypatch):
    """Executes the runs in this process, which is faster than in others."""

    def run(commands, jobs):
        for number, command in commands.items():
            arguments = command[len(many_runs.program()) + 1 :]
            yield many_runs.engines.Ended(number, dataset.main(arguments), "")

    monkeypatch.setattr(many_runs.engines, "run_on_cores", run)


def main(*arguments):
    return dataset.main([str(item) for item in arguments])


def breaks(folder, subset="fracture"):
    """What a reader of Breaking Bad finds: folders of the listed meshes, each with a number of pieces."""
    lines = (folder / "data_split" / f"{subset}.train.txt").read_text().split()
    found = {}
    for line in lines:
        for name in sorted(os.listdir(folder / line)):
            assert "fractured" in name
            found[f"{line}/{name}"] = sorted(os.listdir(folder / line / name))
    return found


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("fracture", "fracture_labels")
        for path in (folder / part).rglob("*.*")
        if path.is_file()
    }


def test_breaks_have_the_wanted_number_of_closed_pieces(box, tmp_path, here):
    trimesh = pytest.importorskip("trimesh")
    out = tmp_path / "out"
    options = ("--option", "resolution=300", "--preset", "porcelain,terracotta", "--pieces", "3-6", "--breaks", 3)
    assert main(box, "--output", out, *options) == 0
    found = breaks(out)
    assert list(found) == [f"fracture/boxes/box/fractured_{index}" for index in range(3)]
    whole = trimesh.load(box).volume
    for place, names in found.items():
        facts = json.loads((out / f"{place}.json".replace("fracture/", "fracture_labels/", 1)).read_text())
        assert 3 <= len(names) <= 6
        assert len(names) == facts["wanted"] == facts["fragments"] == facts["closed"]
        assert abs(facts["volume_error"]) < 1e-9
        assert facts["material"]["name"] in ("Porcelain", "Terracotta")
        assert np.linalg.norm(facts["impact"]["direction"]) == pytest.approx(1.0, abs=1e-5)
        meshes = [trimesh.load(out / place / name, process=False) for name in names]
        assert all(mesh.is_watertight for mesh in meshes)
        assert sum(mesh.volume for mesh in meshes) == pytest.approx(whole, rel=1e-9)
        with np.load(out / f"{place}.npz".replace("fracture/", "fracture_labels/", 1)) as labels:
            inner = [meshes[row].area_faces[labels[f"interior_{row}"]].sum() for row in range(len(meshes))]
            # Each crack has two sides, and each side belongs to a contact.
            assert 2.0 * labels["shared_area"].sum() == pytest.approx(sum(inner), rel=1e-6)
            outer = sum(mesh.area for mesh in meshes) - sum(inner)
            assert outer == pytest.approx(trimesh.load(box).area, rel=1e-6)
            assert labels["rest_pose"][:, :3] == pytest.approx(np.array([m.center_mass for m in meshes]), rel=1e-5)
            assert np.linalg.norm(labels["broken_pose"][:, 3:], axis=1) == pytest.approx(np.ones(len(meshes)))
    impacts = [json.loads(path.read_text())["impact"]["point"] for path in out.glob("fracture_labels/**/*.json")]
    assert len({tuple(point) for point in impacts}) == 3

    before = digests(out)
    (out / "fracture_labels" / "boxes" / "box" / "fractured_1.json").unlink()
    (results.run_folder(out, 1) / results.REPORT).unlink()
    (out / "fracture" / "boxes" / "box" / "fractured_1" / "piece_0.obj").write_text("half")
    assert main(box, "--output", out, *options) == 0
    assert digests(out) == before


def test_one_break_that_fails_does_not_stop_the_others(box, tmp_path, here, monkeypatch, capfd):
    real, calls = dataset._shattered, []

    def shattered(line):
        calls.append(line)
        if len(calls) == 1:
            raise WorkerError("the worker was killed")
        return real(line)

    monkeypatch.setattr(dataset, "_shattered", shattered)
    out = tmp_path / "out"
    options = ("--option", "resolution=300", "--breaks", 2)
    assert main(box, "--output", out, *options) == 4
    assert "break 0: the worker was killed" in capfd.readouterr().err
    assert [path.name for path in out.glob("fracture_labels/**/*.json")] == ["fractured_1.json"]
    assert main(box, "--output", out, *options, "--retry") == 0
    assert len(list(out.glob("fracture_labels/**/*.json"))) == 2


def test_too_few_pieces_are_an_error_with_a_remedy(box, tmp_path, here, monkeypatch, capfd):
    real = dataset._shattered
    monkeypatch.setattr(dataset, "ATTEMPTS", 1)
    monkeypatch.setattr(dataset, "_shattered", lambda line: (real(line)[0], [], {}))
    assert main(box, "--output", tmp_path / "out", "--pieces", 7, "--option", "resolution=300") == 4
    assert "0 pieces instead of 7 in 1 attempts; raise the resolution" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        (["--breaks", "0"], "out of range"),
        (["--pieces", "1"], "write it like 8 or 2-20"),
        (["--pieces", "9-3"], "write it like 8 or 2-20"),
        (["--preset", "cheese"], "'cheese' does not exist"),
        (["--option", "sede=1"], "did you mean seed"),
        (["--option", "height"], "has no value"),
        (["--option", "height=-1"], "not above zero"),
        (["--subset", "../x"], "no name of a folder"),
        (["--format", "usd"], "invalid choice"),
        (["gone.obj"], "does not exist"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(box, tmp_path, capfd, wrong, part):
    assert main(box, "--output", tmp_path / "out", *wrong) == 2
    error = capfd.readouterr().err
    assert part in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_with_two_objects_is_refused(box, tmp_path, capfd):
    lines = BOX.splitlines()
    second = [line if line[0] == "v" else "f " + " ".join(str(int(n) + 8) for n in line.split()[1:]) for line in lines]
    box.write_text("\n".join(["o First", *lines, "o Second", *second]) + "\n")
    assert main(box, "--output", tmp_path / "out") == 2
    assert "2 objects (First, Second); choose one with --option object=NAME" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_pieces_that_cannot_be_merged_are_tried_again(box, tmp_path, here, monkeypatch):
    real, calls = dataset.merged, []

    def merged(pieces, count):
        calls.append(len(pieces))
        return pieces if len(calls) == 1 else real(pieces, count)

    monkeypatch.setattr(dataset, "merged", merged)
    monkeypatch.setattr(dataset, "_shattered", _many(dataset._shattered))
    out = tmp_path / "out"
    assert main(box, "--output", out, "--pieces", 3, "--option", "resolution=300") == 0
    facts = json.loads((out / "fracture_labels" / "boxes" / "box" / "fractured_0.json").read_text())
    assert facts["attempts"] == len(calls) > 1
    assert facts["fragments"] == 3


def _many(real):
    """Ask for more pieces than wanted, so that some have to be merged."""

    def shattered(line):
        return real([*line, "--pieces=8"])

    return shattered


def test_meshes_of_one_name_are_refused(box, tmp_path, capfd):
    other = tmp_path / "deep" / "boxes" / "box.obj"
    other.parent.mkdir(parents=True)
    other.write_text(BOX)
    assert main(box, other, "--output", tmp_path / "out") == 2
    assert main(box, box, "--output", tmp_path / "out") == 2
    assert capfd.readouterr().err.count("\n") == 2
    assert not (tmp_path / "out").exists()
