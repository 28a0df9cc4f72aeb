"""The tables of settings in the guide."""

import re

from docs import guide_tables


def test_the_guide_has_the_tables_that_the_settings_generate(registered):
    text = guide_tables.GUIDE.read_text(encoding="utf-8")
    assert guide_tables.generated(text) == text, "run: python -m docs.guide_tables --write"


def test_every_setting_has_one_row(registered):
    text = guide_tables.GUIDE.read_text(encoding="utf-8")
    names = [re.findall(r"`(\w+)`", match[0].split("|")[2])[-1] for match in guide_tables.ROW.finditer(text)]
    assert sorted(names) == sorted(guide_tables.rows())


def test_a_setting_without_a_row_gets_one_beside_its_group(registered):
    text = guide_tables.GUIDE.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "`crack_growth`" in line)
    assert guide_tables.generated(text.replace(f"{row}\n", "")) == text


def test_a_wrong_or_unknown_row_is_replaced(registered):
    text = guide_tables.GUIDE.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "`crack_growth`" in line)
    wrong = text.replace(row, "| *Growth* | `crack_growth` | 7 | old text |\n| *Gone* | `no_such` | 1 | removed |")
    assert guide_tables.generated(wrong) == text
