"""The site of the documents: its navigation, and what its Markdown and GitHub's read differently."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from docs import messages, pages

ROOT = Path(__file__).resolve().parents[1]
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
PAGES = sorted(path.as_posix() for path in pages.sources() if path.suffix == ".md")
ITEM = re.compile(r" *(?:[-*]|\d+\.) ")


def entries(nav: list | dict | str) -> Iterator[str]:
    """Return the pages of the navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for child in nav.values() if isinstance(nav, dict) else nav:
            yield from entries(child)


def joined_lists(text: str) -> list[str]:
    """Return first items of lists and tables right below a paragraph: mkdocs would show them as part of it."""
    found, before, inside = [], "", False
    for line in text.splitlines():
        starts = ITEM.match(line) is not None or line.startswith("|")
        if starts and before.strip() and not inside:
            found.append(line)
        inside = starts or (inside and bool(line.strip()))
        before = line
    return found


def test_the_navigation_has_each_page_once():
    assert sorted(entries(SITE["nav"])) == PAGES


def test_titles_in_the_navigation_are_those_of_the_pages():
    names = [
        (title, page)
        for group in SITE["nav"]
        for titles in group.values()
        if isinstance(titles, list)
        for item in titles
        if isinstance(item, dict)
        for title, page in item.items()
    ]
    tasks = [
        (title, page)
        for title, page in names
        if page.startswith(("docs/guide/", "docs/settings/", "docs/decisions/", "docs/tutorials/"))
    ]
    assert len(tasks) > 40
    assert [
        (page, title)
        for title, page in tasks
        if not (ROOT / page).read_text(encoding="utf-8").startswith(f"# {title}\n")
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_lists_and_tables_follow_an_empty_line(page):
    assert joined_lists((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_list_right_below_a_paragraph_is_found():
    assert joined_lists("Text\n- one\n- two\n\n- three\n  more\n- four") == ["- one"]
    assert joined_lists("Text\n| a |\n|---|\n| b |") == ["| a |"]


def test_a_setting_page_is_in_the_list_of_its_group():
    contents = (ROOT / "docs/settings/README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[^]]+\]\((\w+\.md)\) \|", contents, re.MULTILINE)
    assert sorted(listed) == sorted(
        path.name for path in (ROOT / "docs/settings").glob("*.md") if path.name != "README.md"
    )


def test_contents_name_each_task_and_tutorial():
    contents = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    wanted = [page for page in PAGES if page.startswith(("docs/guide/", "docs/tutorials/"))]
    assert [page for page in wanted if f"]({page.removeprefix('docs/')})" not in contents] == []


def test_troubleshooting_has_every_message_of_the_code():
    text = messages.PAGE.read_text(encoding="utf-8")
    assert messages.generated(text) == text, "run: python -m docs.messages --write"
    assert len(messages.TABLE.findall(text)) == len(messages.tables())
    assert "| Nothing can hit '…' | add a floor or a projectile" in text


def test_the_variable_parts_of_a_message_are_left_out():
    (call,) = ast.parse("""raise SceneError(f"'{name}' is {a}{b} m away; move it")""").body
    assert messages.shown(call.exc.args[0]) == "'…' is … m away; move it"
