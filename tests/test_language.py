"""Texts that people read are in plain English: phrases that must not come back, each with what to write instead."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Phrases.
RIDDLES = {
    r"moves as told": "kinematic: driven by its keyframes",
    r"told frames": "keyframes",
    r"stands for none": "counts as unbreakable",
    r"nobody is told": "no warning",
    r"of the tilt": "seed of the random tilt",
    r"without a word": "name the cause and the effect",
    r"share of nothing": "a zero load has the zero solution",
    r"has no say": "has no effect",
    r"heeds? this mesh": "changes the strength of breaking objects",
    r"what bends for the whole shot": "deformable bodies",
    r"knows? nothing of": "does not depend on",
    r"so to speak": "leave it out",
    r"reckoned": "computed",
    r"the same in numpy": "compute the result of the kernel in NumPy; tests compare both",
    r"for the account": "for the report",
    r"what still holds": "the bonds that hold",
    r"what hangs together": "connected component",
    r"until there is none": "repeat until no dust is left",
    r"fall together": "simultaneous impacts",
    r"what (?:it|they) bears?": "stress, load",
    r"parts by what they weigh": "parts and their masses",
    r"fallen? apart": "split",
    r"leaves? powder": "turns to dust",
}
# Words.
OTHER_WORDS = {
    r"blows?": "impact",
    r"strikers?": "impactor",
    r"crumbs?": "dust, debris",
    r"heeds?": "uses",
    r"look(?:ing)? inside": "stress preview",
    r"kept run": "cached run",
    r"mend(?:s|ed|ing)?": "repair",
    r"anew": "again",
    r"powder": "dust",
    r"clumps?": "aggregates",
    r"points of its own": "separate points",
}
# docs/gallery/repair.md is generated from messages.
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "tests/**/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "repair.md"
)
CODE = ("fracture_addon", "presets", "tests", "benchmarks", "docs", ".ci")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and strings of a module, docstrings included, its names and its comments."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name.replace("_", " ")
        elif isinstance(node, (ast.Name, ast.arg)):
            yield node.lineno, (node.id if isinstance(node, ast.Name) else node.arg).replace("_", " ")
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip().startswith("#"):
            yield number, line


def prose(path: Path) -> str:
    """A document without code, links, paths and the glossary, which names the words to avoid."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^## Glossary$.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|^ {4}.*$", "", text, flags=re.MULTILINE)


def found(text: str, phrases: dict[str, str]) -> list[str]:
    """What a text says and should not."""
    plain = re.sub(r"\s+(?:# )?", " ", text)
    return [
        f"'{match[0]}': {instead}"
        for phrase, instead in phrases.items()
        if (match := re.search(rf"\b{phrase}\b", plain, re.IGNORECASE))
    ]


def modules(folders: tuple[str, ...]) -> list[str]:
    """Return the modules below folders, except this one."""
    paths = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path.relative_to(ROOT).as_posix() for path in paths if path != Path(__file__).resolve()]


def faults(name: str, phrases: dict[str, str]) -> list[str]:
    """What the texts of a module say and should not."""
    return [f"line {line}: {what}" for line, text in texts(ROOT / name) for what in found(text, phrases)]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_in_plain_english(name):
    assert found(prose(ROOT / name), RIDDLES | OTHER_WORDS) == []


@pytest.mark.parametrize("name", modules(CODE))
def test_a_module_is_in_plain_english(name):
    assert faults(name, RIDDLES | OTHER_WORDS) == []


def test_phrases_are_found_across_lines_and_in_any_case():
    assert found("It Moves\n    # as told.", RIDDLES) == ["'Moves as told': kinematic: driven by its keyframes"]
    assert found("Two Blows on a bowl", OTHER_WORDS) == ["'Blows': impact"]
    assert found("The below-zero case, mended", {"blow": "impact"}) == []
