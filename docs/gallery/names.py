"""Names of pictures or films on the command line of the gallery's scripts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable


def chosen(names: list[str], known: Iterable[str]) -> list[str]:
    """Return the names, or all known ones if there are none; exit with code 2 if one is unknown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[*known, []], metavar="NAME", help=f"{', '.join(known)}; or all")
    return parser.parse_args(names).names or list(known)
