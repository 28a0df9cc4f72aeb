"""Docstrings of algorithms have parameters, result, source and example."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "fracture_addon/core"
# Packages of core with algorithms.
PACKAGES = ("cutting", "data", "fields", "geometry", "meshing", "methods", "numerics", "rigid", "timeline")

ROW = re.compile(r"^\| .* \|$", re.MULTILINE)
NAMED = re.compile(r"`((?:\w+/)+\w+)\.(\w+(?:\.\w+)*)`")
# A year, or the word that marks an algorithm of the project.
SOURCE = re.compile(r"\b(?:1[6-9]|20)\d\d\b|\b[Oo]wn\b")


def named() -> list[tuple[str, str]]:
    """Path of the module and name of each function and class in the function columns of docs/equations.md."""
    modules = [path.relative_to(CORE).with_suffix("").as_posix() for path in sorted(CORE.rglob("*.py"))]
    found = []
    for row in ROW.findall((ROOT / "docs/equations.md").read_text(encoding="utf-8")):
        for module, name in NAMED.findall(row.split(" | ")[1]):
            found += [(f"{path}.py", name) for path in modules if f"/{path}".endswith(f"/{module}")]
    return sorted(set(found))


@cache
def definitions(module: str) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """Public functions, classes and methods of a module of core, by name."""
    found = {}
    for node in ast.parse((CORE / module).read_text(encoding="utf-8")).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        found[node.name] = node
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{item.name}": item for item in node.body if isinstance(item, ast.FunctionDef)}
    return {name: node for name, node in found.items() if not re.search(r"(^|\.)_", name)}


def parts(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Sections that a docstring needs besides its source and its example."""
    if isinstance(node, ast.ClassDef):
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
        return ["Attributes"] if fields else []
    if any("property" in ast.unparse(decorator) for decorator in node.decorator_list):
        return []
    arguments = [item.arg for item in (*node.args.args, *node.args.kwonlyargs) if item.arg not in ("self", "cls")]
    returns = node.returns is not None and ast.unparse(node.returns) != "None"
    yields = any(isinstance(item, (ast.Yield, ast.YieldFrom)) for item in ast.walk(node))
    return ["Args"] * bool(arguments) + ["Yields" if yields else "Returns"] * returns


def missing(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Parts that the docstring of an algorithm does not have."""
    text = ast.get_docstring(node) or ""
    found = [part for part in parts(node) if not re.search(rf"^{part}:$", text, re.MULTILINE)]
    notes = re.search(r"^Notes:\n((?: .*\n|\n)+)", f"{text}\n", re.MULTILINE)
    if notes is None or not SOURCE.search(notes[1]):
        found.append("Notes with a source")
    return found + ["Example"] * (">>> " not in text)


def algorithms(folder: str) -> list[tuple[str, str]]:
    """Module and name of the algorithms below a path of core: those of docs/equations.md, and those with notes."""
    known = named()
    return [
        (module, name)
        for path in sorted(CORE.rglob("*.py"))
        if (module := path.relative_to(CORE).as_posix()).startswith(folder)
        for name, node in definitions(module).items()
        if (module, name) in known or re.search(r"^Notes:$", ast.get_docstring(node) or "", re.MULTILINE)
    ]


@pytest.mark.parametrize("folder", PACKAGES)
def test_docstrings_of_algorithms_are_complete(folder):
    found = algorithms(folder)
    assert found
    faults = {f"{module}: {name}": missing(definitions(module)[name]) for module, name in found}
    assert {where: fault for where, fault in faults.items() if fault} == {}


def test_a_missing_part_is_found():
    text = '''def f(x: int) -> int:
    """Double a number.

    Args:
        x: A number.

    Notes:
        {notes}
    """
'''
    (node,) = ast.parse(text.format(notes="See Euclid.")).body
    assert missing(node) == ["Returns", "Notes with a source", "Example"]
    (node,) = ast.parse(
        text.format(notes="Own.\n\n    Returns:\n        y\n\n    Example:\n        >>> f(2)\n        4")
    ).body
    assert missing(node) == []
