"""The tables on the pages of settings."""

import re

from docs import guide_tables


def page_with(name: str) -> tuple[dict[str, str], str, str]:
    """Return all pages, the page that has the row of a setting, and that row."""
    pages = guide_tables.read()
    page = next(page for page, text in pages.items() if f"| `{name}` |" in text)
    return pages, page, next(line for line in pages[page].splitlines() if f"| `{name}` |" in line)


def test_the_pages_have_the_tables_that_the_settings_generate(registered):
    pages = guide_tables.read()
    assert guide_tables.generated(pages) == pages, "run: python -m docs.guide_tables --write"


def test_every_setting_has_one_row(registered):
    rows = [match for text in guide_tables.read().values() for match in guide_tables.ROW.finditer(text)]
    names = [re.findall(r"`(\w+)`", match[0].split("|")[2])[-1] for match in rows]
    assert sorted(names) == sorted(guide_tables.rows())


def test_a_setting_without_a_row_gets_one_beside_its_group(registered):
    pages, page, row = page_with("crack_growth")
    assert guide_tables.generated({**pages, page: pages[page].replace(f"{row}\n", "")}) == pages


def test_a_wrong_or_unknown_row_is_replaced(registered):
    pages, page, row = page_with("crack_growth")
    wrong = "| *Growth* | `crack_growth` | 7 | old text |\n| *Gone* | `no_such` | 1 | removed |"
    assert guide_tables.generated({**pages, page: pages[page].replace(row, wrong)}) == pages
