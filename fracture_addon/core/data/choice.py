"""Choose what a setting names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from .errors import SettingsError

T = TypeVar("T")


def chosen(table: Mapping[str, T], name: str, what: str) -> T:
    """Return the entry of a table.

    Args:
        table: Entries by name.
        name: From the settings.
        what: What the entries are, for the message.

    Raises:
        SettingsError: There is no such entry.
    """
    if name not in table:
        raise SettingsError(f"there is no {what} '{name}'; use {' or '.join(table)}")
    return table[name]
