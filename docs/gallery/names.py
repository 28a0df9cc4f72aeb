"""Names of pictures or films on the command line of the gallery's scripts."""

from __future__ import annotations

import argparse
from collections.abc import Collection


def chosen(names: list[str], known: Collection[str]) -> list[str]:
    """Return the names, or all known ones if there are none; exit with code 2 if one is unknown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)}; or all")
    found = parser.parse_args(names).names
    for name in found:
        if name not in known:
            parser.error(f"there is no '{name}'; choose from {', '.join(known)}")
    return found or list(known)
