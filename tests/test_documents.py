"""Paths, names and links in the documents exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from benchmarks import Row, _document

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted(path for pattern in ("*.md", "docs/**/*.md", "tests/**/*.md") for path in ROOT.glob(pattern))
FOLDERS = ("fracture_addon", "presets", "tests", "benchmarks", "docs", ".ci")
# The first part of paths that exist only after a run.
GENERATED = ("build", ".cache", ".venv")

QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?P<path>[\w.-]+(?:/[\w.-]+)*/?)(?:::(?P<test>\w+))?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAME = r"^\s*(?:async def|def|class) {0}\b|^\s*{0}(?:: [^=\n]+)?(?: =|$)|^[A-Z_, ]*\b{0}\b[A-Z_, ]* = "


@cache
def paths() -> tuple[str, ...]:
    """All files and folders of the project, each with a slash in front, folders with one behind."""
    found = [path for folder in FOLDERS for path in (ROOT / folder, *(ROOT / folder).rglob("*"))]
    found += [path for path in ROOT.iterdir() if path.is_file()]
    return tuple(f"/{path.relative_to(ROOT).as_posix()}{'/' * path.is_dir()}" for path in found)


def ending(path: str) -> list[Path]:
    """Files and folders whose path ends in ``path``."""
    return [ROOT / known[1:] for known in paths() if known.endswith(f"/{path}")]


def defined(name: str, module: Path) -> bool:
    """Whether a module, or a class in it, defines a name."""
    return re.search(NAME.format(re.escape(name)), module.read_text(encoding="utf-8"), re.MULTILINE) is not None


def fault(quoted: str) -> str:
    """What is wrong with a path in a document; empty where nothing is, or where the text is no path.

    ``folder/``, ``folder/file.py``, ``folder/test_file.py::test_name`` and ``folder/module.name.name`` are paths.
    """
    match = PATH.fullmatch(quoted)
    if match is None or not ("/" in quoted or quoted.endswith(".py") or match["test"]):
        return ""
    path, test = match["path"], match["test"]
    if path.split("/")[0] in GENERATED:
        return ""
    found = ending(path) or ending(f"{path}/")
    if found:
        known = test is None or any(defined(test, module) for module in found)
        return "" if known else f"there is no test '{test}' in '{path}'"
    folder, _, last = path.rpartition("/")
    module, *names = last.split(".")
    modules = ending(f"{folder}/{module}.py") or ending(f"{folder}/{module}/__init__.py")
    if not modules:
        return f"there is no path '{path}'"
    missing = [name for name in names if not any(defined(name, path) for path in modules)]
    return f"'{folder}/{module}.py' does not define '{missing[0]}'" if missing else ""


def anchors(document: Path) -> set[str]:
    """Anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_paths_and_names_exist(document):
    text = document.read_text(encoding="utf-8")
    assert [said for quoted in QUOTED.findall(text) if (said := fault(quoted))] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    broken = []
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        target, _, anchor = link.partition("#")
        path = document.parent / target if target else document
        if "://" in link:
            continue
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(
    ("quoted", "said"),
    [
        ("core/data/job.py", ""),
        ("core/data/", ""),
        ("core/data/job.Body.surface", ""),
        ("tests/test_documents.py::test_paths_and_names_exist", ""),
        ("--set crack_growth=0.9", ""),
        ("core/data/no_such_file.py", "there is no path 'core/data/no_such_file.py'"),
        ("core/data/job.NoSuchName", "'core/data/job.py' does not define 'NoSuchName'"),
        ("tests/test_documents.py::test_no_such", "there is no test 'test_no_such' in 'tests/test_documents.py'"),
    ],
)
def test_a_wrong_path_is_found(quoted, said):
    assert fault(quoted) == said


def test_benchmarks_replace_their_own_section_of_the_measurements(tmp_path):
    document = tmp_path / "measurements.md"
    document.write_text(f"before\n{_document.START}{_document.END}\nafter\n", encoding="utf-8")
    _document.write("network", [Row("first", 1000, 2.0, "s", 4.0)], document)
    _document.write("fem", [Row("other", 10, 3.0, "GB")], document)
    _document.write("network", [Row("second", 1000, 5.0, "s")], document)
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert text.index("### fem") < text.index("| `other` | 10 | 3 | GB |  |  |") < text.index("### network")
    assert "| `second` | 1,000 | 5 | s |  |  |" in text
    assert "first" not in text
