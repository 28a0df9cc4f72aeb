"""Examples in docstrings of core run and give what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    for path in sorted((ROOT / "fracture_addon/core").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module)
    assert results.attempted == Path(module.__file__).read_text(encoding="utf-8").count(">>> ")
    assert results.failed == 0
