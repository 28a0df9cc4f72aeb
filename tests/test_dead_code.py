"""No statement follows one that leaves its block."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = [path for folder in ("fracture_addon", "tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
LEAVES = ast.Return, ast.Raise, ast.Continue, ast.Break


def unreachable(code):
    """Return the lines of the first statements that are never reached in their blocks."""
    blocks = [getattr(node, name, ()) for node in ast.walk(ast.parse(code)) for name in ("body", "orelse", "finalbody")]
    pairs = [pair for block in blocks if isinstance(block, list) for pair in pairwise(block)]
    return [after.lineno for before, after in pairs if isinstance(before, LEAVES)]


def test_every_statement_can_be_reached():
    found = {str(path.relative_to(ROOT)): unreachable(path.read_text(encoding="utf-8")) for path in FILES}
    assert found
    assert not {name: lines for name, lines in found.items() if lines}


def test_a_statement_after_a_return_is_found():
    assert unreachable("def f():\n    return 1\n    f()\n") == [3]
