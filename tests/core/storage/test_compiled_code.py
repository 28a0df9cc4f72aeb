"""Compiled code on the disk: what is damaged is compiled again, and processes that write at once do no harm."""

import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import numba
import pytest

from fracture_addon.core.storage import compiled_code

ROOT = Path(__file__).resolve().parents[3]
# Joins the package, and is called with the numbers' types in the order that the caller wants.
MODULE = """
from numba import njit

@njit(cache=True)
def total(values):
    result = values[0] * 0
    for value in values:
        result += value
    return result
"""
ADDED = """
from numba import njit

@njit(cache=True)
def added(a, b):
    return a + b
"""
CALLER = """
from numba import njit
from fracture_addon.core import added
from fracture_addon.core.constants import START

@njit(cache=True)
def total(values):
    result = values[0] * 0 * START
    for value in values:
        result = added.added(result, value)
    return result
"""
PROGRAM = """
import os
import sys
from pathlib import Path
import numpy as np
import fracture_addon.core
from fracture_addon.core import compiled_code

if os.environ.get("SHIPPED"):
    compiled_code.SHIPPED = Path(os.environ["SHIPPED"])
compiled = []
save = compiled_code._Entries.save
compiled_code._Entries.save = lambda self, key, entry: (compiled.append(1), save(self, key, entry))
fracture_addon.core.__path__.append(sys.path[0])
from fracture_addon.core.example import total

for kind in sys.argv[1:]:
    assert total(np.arange(5, dtype=kind)) == 10
    assert total(np.full(4, 2.5, kind)) == (8 if kind.startswith("int") else 10)
print(len(compiled))
"""


@pytest.fixture
def run(tmp_path):
    """Start the program in a process; ``keep=False`` names no folder."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "example.py").write_text(MODULE)

    def start(*kinds, keep=True, **more):
        around = os.environ | {
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "FRACTURE_COMPILED": str(tmp_path / "kept") if keep else "",
        }
        around |= more | {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home")}
        command = [sys.executable, str(program), *kinds]
        return subprocess.Popen(command, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


def compiled(child) -> int:
    """How many functions a process compiled; it has to succeed."""
    said, error = child.communicate(timeout=120.0)
    assert child.returncode == 0, error
    return int(said)


def entries(tmp_path):
    return sorted((tmp_path / "kept").iterdir())


def test_the_next_process_loads_what_one_has_compiled(run, tmp_path):
    assert compiled(run("int64", "float64")) == 2
    assert [path.suffix for path in entries(tmp_path)] == [".code", ".code"]
    assert compiled(run("float64", "int64")) == 0


def test_code_that_came_with_the_extension_is_loaded_also_without_a_folder(run, tmp_path):
    assert compiled(run("int64")) == 1
    (tmp_path / "kept").rename(tmp_path / "shipped")
    shipped = str(tmp_path / "shipped")
    assert compiled(run("int64", SHIPPED=shipped)) == 0
    assert compiled(run("int64", keep=False, SHIPPED=shipped)) == 0
    (entry,) = (tmp_path / "shipped").iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    assert compiled(run("int64", SHIPPED=shipped)) == 1
    assert [path.name for path in entries(tmp_path)] == [entry.name]


@pytest.mark.parametrize("chosen", ["", "generic"])
def test_code_is_for_a_level_of_processors_unless_the_user_names_one(chosen):
    """Else no code could come with the extension: numba compiles for the very processor on which it runs."""
    say = "import fracture_addon.core; from numba.core import config; print(config.CPU_NAME, config.CPU_FEATURES)"
    around = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CPU_NAME": chosen}
    said = subprocess.run([sys.executable, "-c", say], env=around, check=True, capture_output=True, text=True).stdout
    features = llvmlite.binding.get_host_cpu_features()
    level = compiled_code.LEVEL if all(features.get(name) for name in compiled_code.LEVEL_FEATURES) else "None"
    assert said.split()[0] == (chosen or level)


def test_what_is_damaged_is_compiled_again(run, tmp_path):
    assert compiled(run("int64")) == 1
    (entry,) = entries(tmp_path)
    content = entry.read_bytes()
    entry.write_bytes(content[: len(content) // 2])
    assert compiled(run("int64")) == 1
    assert entry.read_bytes() == content


def test_a_change_in_a_function_that_is_called_compiles_the_caller_again(run, tmp_path):
    """The caller's own file stays as it is; its compiled code contains the other function and the constant."""
    (tmp_path / "added.py").write_text(ADDED)
    (tmp_path / "constants.py").write_text("START = 1\n")
    (tmp_path / "example.py").write_text(CALLER)
    assert compiled(run("int64")) == 2
    assert compiled(run("int64")) == 0
    (tmp_path / "added.py").write_text(ADDED.replace("a + b", "b + a"))
    assert compiled(run("int64")) == 2
    (tmp_path / "constants.py").write_text("START = 2\n")
    assert compiled(run("int64")) == 1


@pytest.mark.parametrize("damage", ["none", "empty", "cut short", "a flipped bit", "foreign", "removed"])
def test_a_damaged_entry_is_none(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(compiled_code, "_folder", tmp_path)
    entry = compiled_code._Entries(entries)
    entry.save(("key",), "a value")
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    spoilt = {
        "none": content,
        "empty": b"",
        "cut short": content[:-1],
        "a flipped bit": content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
        "foreign": b"\x80\x04cos\nsystem\n(Vexit 1\ntR.",
    }
    path.unlink() if damage == "removed" else path.write_bytes(spoilt[damage])
    assert entry.load(("key",)) == ("a value" if damage == "none" else None)
    assert entry.load(("another",)) is None


def test_processes_that_compile_at_once_mix_nothing_up(run, tmp_path):
    kinds = ["int32", "int64", "float32", "float64"]
    children = [run(*kinds[row:], *kinds[:row]) for row in range(4)]
    for child in children:
        compiled(child)
    assert len(entries(tmp_path)) == 4
    assert compiled(run(*kinds)) == 0


def test_without_a_folder_nothing_is_written_anywhere(run, tmp_path):
    assert compiled(run("int64", keep=False)) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["example.py", "program.py"]


def test_a_folder_that_cannot_be_written_costs_the_cache_only(run, tmp_path):
    (tmp_path / "kept").write_text("a file in the way")
    assert compiled(run("int64")) == 1


def test_other_packages_keep_numbas_own_cache(tmp_path):
    code = (
        "import numba, fracture_addon.core.data.errors; from numba.core.caching import FunctionCache; "
        "import theirs; assert type(theirs.one._cache) is FunctionCache; theirs.one()"
    )
    (tmp_path / "theirs.py").write_text("from numba import njit\n@njit(cache=True)\ndef one():\n    return 1\n")
    around = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "theirs")}
    subprocess.run([sys.executable, "-c", code], env=around, check=True, timeout=120.0)
    assert list((tmp_path / "theirs").rglob("*.nbi"))


def test_compilation_is_reported_from_its_start_to_its_end():
    @numba.njit
    def half(value):
        return value / 2

    @numba.njit
    def quarter(value):
        return half(half(value))

    told: list[bool] = []
    with compiled_code.reported(told.append):
        assert quarter(8.0) == 2.0
        assert quarter(4.0) == 1.0
    assert told == [True, True, True, False]  # ``half`` inside ``quarter``, once
    quarter(8)  # compiles for whole numbers, but is no longer reported
    assert len(told) == 4
