"""Look up the value of a setting in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from .errors import SettingsError

T = TypeVar("T")


def chosen(table: Mapping[str, T], name: str, what: str) -> T:
    """Return the entry ``name`` of a table.

    Args:
        table: Entries by name.
        name: Name of the entry, from the settings.
        what: Kind of the entries, for the message.

    Raises:
        SettingsError: There is no such entry.
    """
    if name not in table:
        raise SettingsError(f"there is no {what} '{name}'; use {' or '.join(table)}")
    return table[name]
