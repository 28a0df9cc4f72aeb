"""One static HTML page with the pictures and figures of all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..core.storage import files
from . import results
from .plan import Plan

PAGE, PICTURE, SCENE = "index.html", "sheet.png", "result.blend"
STYLE = """\
body { font: 14px/1.4 sans-serif; margin: 2em; background: #222; color: #ddd }
a { color: #8bf } img { width: 100%; display: block } table { border-spacing: 8px }
td { vertical-align: top; width: 320px } th { text-align: left; font-weight: normal; color: #aaa }
figure { margin: 0; background: #2c2c2c; padding: 6px } .failed { background: #522 }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 8px }"""


def write(plan: Plan, table: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Write the page. Runs of two settings are a grid with a row and a column for each value; others are a list.

    Args:
        plan: The plan of the folder.
        table: Rows of ``table.rows``.
        folder: Folder of the results. The page links to files in it by relative paths.

    Raises:
        OSError: The page cannot be written.
    """
    names = list(plan.runs[0].values)
    figures = [_figure(row, names, folder) for row in table]
    done = sum(row["state"] == "done" for row in table)
    body = _grid(names, table, figures) if len(names) == 2 else f"<main>{''.join(figures)}</main>"
    text = (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(plan.title)}</title>\n'
        f"<style>\n{STYLE}\n</style>\n<h1>{escape(plan.title)}</h1>\n"
        f'<p>{done} of {len(table)} runs are done. <a href="table.csv">Table</a></p>\n{body}\n</html>\n'
    )
    path = folder / PAGE
    with files.replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def _grid(names: Sequence[str], table: Sequence[Mapping[str, Any]], figures: Sequence[str]) -> str:
    down, across = ([*dict.fromkeys(row[name] for row in table)] for name in names)
    places = {(row[names[0]], row[names[1]]): figure for row, figure in zip(table, figures, strict=True)}
    head = "".join(f"<th>{escape(f'{names[1]} = {value}')}</th>" for value in across)
    lines = [f"<tr><th></th>{head}</tr>"]
    for first in down:
        cells = "".join(f"<td>{places[first, second]}</td>" for second in across)
        lines.append(f"<tr><th>{escape(f'{names[0]} = {first}')}</th>{cells}</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def _figure(row: Mapping[str, Any], names: Sequence[str], folder: Path) -> str:
    place = results.run_folder(folder, row["run"])
    relative = place.relative_to(folder).as_posix()
    values = ", ".join(f"{name} = {row[name]}" for name in names)
    if row["state"] == "done":
        text = f"{row['fragments']} pieces" if row["fragments"] is not None else "done"
        text = f"{text}, {row['seconds']:.1f} s" if row["seconds"] is not None else text
    else:
        text = row["message"] or "not run yet"
    links = " ".join(
        f'<a href="{relative}/{name}">{label}</a>'
        for name, label in ((SCENE, "scene"), (results.REPORT, "report"))
        if (place / name).exists()
    )
    picture = f'<img loading="lazy" alt="" src="{relative}/{PICTURE}">' if (place / PICTURE).exists() else ""
    caption = f"<figcaption>{row['run']}: {escape(values)}<br>{escape(text)} {links}</figcaption>"
    return f'<figure class="{row["state"]}">{picture}{caption}</figure>'
