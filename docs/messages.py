"""The tables of messages in troubleshooting.md, from the code that raises them.

A message is one line: the problem, a semicolon, the remedy. What differs from case to case is shown as "…".

    python -m docs.messages             compares, and prints what differs
    python -m docs.messages --write     writes the tables
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "troubleshooting.md"
CODE = DOCS.parent / "fracture_addon"
TABLE = re.compile(r"^<!-- messages: (\w+) -->\n(?:\n(?:\|.*\n)*)?", re.MULTILINE)
# Errors by the mark of their table; those of the command line have a table of their own.
KINDS = {
    "InvalidMeshError": "meshes",
    "SceneError": "scenes",
    "SettingsError": "settings",
    "SolverDivergedError": "runs",
    "WorkerError": "runs",
    "NotEnoughMemoryError": "runs",
    "FractureError": "runs",
    "FolderError": "folders",
    "ArgumentTypeError": "commands",
}
COMMANDS = ("blender/command_line/", "farm/")
# Names of functions that return or collect warnings.
WARNS = re.compile(r"warning|warn$|unsupported|overlaps")
HEAD = "| message | what to do |\n|---|---|\n"
# Letters of a warning at least: shorter strings are names and parts of sentences.
SENTENCE = 40
# Letters of a problem at least: others pass on the message of another error.
LETTERS = 6
NO_REMEDY = "correct what the message names"


def tables() -> dict[str, str]:
    """Return the tables by their marks."""
    found: dict[str, set[str]] = {mark: set() for mark in (*KINDS.values(), "warnings")}
    for path in sorted(CODE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        is_command = path.relative_to(CODE).as_posix().startswith(COMMANDS)
        for kind, text in _errors(tree):
            found["commands" if is_command else KINDS[kind]].add(text)
        found["warnings"].update(_warnings(tree))
    return {
        mark: HEAD + "".join(dict.fromkeys(map(_row, sorted(texts, key=lambda text: (_order(text), text)))))
        for mark, texts in found.items()
    }


def generated(text: str) -> str:
    """Return the page with its tables written again."""
    made = tables()
    return TABLE.sub(lambda match: f"<!-- messages: {match[1]} -->\n\n{made[match[1]]}", text)


def _errors(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Kinds and messages of the errors that a module raises."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            kind = ast.unparse(node.exc.func).rpartition(".")[2]
            text = shown(node.exc.args[0])
            if kind in KINDS and len(_order(text.partition("; ")[0])) >= LETTERS:
                yield kind, text


def _warnings(tree: ast.Module) -> Iterator[str]:
    """Warnings in a module: what is passed to a function that warns, and sentences in one that returns warnings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = ast.unparse(node.func)
            inside = [*node.args] if name.endswith((".warn", "warnings.append")) else []
        elif isinstance(node, ast.FunctionDef) and WARNS.search(node.name):
            inside = node.body[1:]
        else:
            inside = []
        for part in inside:
            yield from (text for item in ast.walk(part) if len(text := _sentence(item)) > SENTENCE)


def _sentence(node: ast.AST) -> str:
    """Return a string that is not part of a longer one."""
    return shown(node) if isinstance(node, ast.JoinedStr) else ""


def shown(node: ast.AST) -> str:
    """Return a string expression with "…" for what differs; "…" for other expressions."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return re.sub(
            r"(?:… ?)+", lambda match: "… " if match[0].endswith(" ") else "…", "".join(map(shown, node.values))
        )
    return "…"


def _order(text: str) -> str:
    """Sort by the first words that do not differ."""
    return re.sub(r"[^a-z ]", "", text.lower()).strip()


def _row(text: str) -> str:
    problem, _, remedy = text.replace("|", "/").replace("<", "&lt;").partition("; ")
    return f"| {_plain(problem[:1].upper() + problem[1:])} | {_plain(remedy) or NO_REMEDY} |\n"


def _plain(text: str) -> str:
    """Return a text without what Markdown reads as emphasis or as code."""
    return re.sub(r"([*_`\[\]])", r"\\\1", text)


def main() -> int:
    """Compare the page, or write it with ``--write``; return 1 if it differs."""
    before = PAGE.read_text(encoding="utf-8")
    after = generated(before)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(after, encoding="utf-8")
        return 0
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), PAGE.name, "generated", lineterm="", n=0)
    print("\n".join(lines))  # noqa: T201 - a command's output
    return int(before != after)


if __name__ == "__main__":
    sys.exit(main())
