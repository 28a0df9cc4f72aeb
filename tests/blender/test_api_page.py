"""The page about scripts and pipelines: each of its examples runs."""

import re
import shlex
from pathlib import Path

import pytest

from fracture_addon import worker
from fracture_addon.blender.command_line import command

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
START = re.compile(r"python -m fracture_addon |blender --command shatter ")


def run_command(text: str) -> None:
    """Run a command of the page in this process, which is what its programs would do."""
    words = text.replace("\\\n", " ").strip()
    if START.match(words):
        assert command.main(shlex.split(START.sub("", words))) == 0
    else:
        assert words.startswith("python -m fracture_addon.worker ")
        assert worker.main(shlex.split(words)[3:]) == 0


@pytest.mark.once
def test_every_example_runs_in_the_order_of_the_page(registered, tmp_path, monkeypatch):
    (tmp_path / "build").mkdir()
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    kinds = []
    for kind, text in EXAMPLE.findall(TEXT):
        kinds.append(kind)
        if kind == "python":
            exec(compile(text, "docs/api.md", "exec"), names)
        else:
            run_command(text)
    assert kinds.count("python") >= 7
    assert kinds.count("sh") >= 3
    assert {path.name for path in (tmp_path / "build").iterdir()} >= {
        "bowl.blend",
        "bowl.json",
        "pieces.blend",
        "vase.blend",
    }


def test_functions_on_the_page_have_these_arguments():
    import importlib
    import inspect

    rows = re.findall(r"^\| `(\w+)\((.+)\)` \| `([\w/]+)\.py` \| `(\w+)`", TEXT, re.MULTILINE)
    assert len(rows) == 6
    for name, arguments, path, returned in rows:
        function = getattr(importlib.import_module(f"fracture_addon.{path.replace('/', '.')}"), name)
        signature = inspect.signature(function)
        assert list(signature.parameters) == arguments.split(", ")
        assert signature.return_annotation == returned
