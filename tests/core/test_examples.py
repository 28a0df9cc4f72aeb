"""Examples in docstrings of core run and give what they say."""

import doctest
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    for path in sorted((ROOT / "fracture_addon/core").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def has_numpy(value) -> bool:
    """Whether a result contains a value of NumPy, which prints differently in NumPy 1 and 2."""
    if isinstance(value, (tuple, list)):
        return any(map(has_numpy, value))
    return isinstance(value, (np.generic, np.ndarray))


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, monkeypatch):
    shown = []
    show = sys.__displayhook__
    monkeypatch.setattr(sys, "__displayhook__", lambda value: (shown.append(value), show(value)))
    module = importlib.import_module(name)
    results = doctest.testmod(module)
    assert results.attempted == Path(module.__file__).read_text(encoding="utf-8").count(">>> ")
    assert results.failed == 0
    assert [value for value in shown if has_numpy(value)] == []
