"""Names of the arrays in a snapshot of a run that consists of snapshots of its parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

# Between the name of a part and the name of an array of the part.
DOT = "."


def prefixed(part: str, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of a part by names that start with the part.

    Example:
        >>> list(prefixed("contacts", {"pairs": np.zeros(2)}))
        ['contacts.pairs']
    """
    return {f"{part}{DOT}{name}": value for name, value in values.items()}


def with_prefix(part: str, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of a part by their own names: the reverse of ``prefixed``.

    Example:
        >>> list(with_prefix("contacts", {"contacts.pairs": np.zeros(2), "body.rest": np.zeros(3)}))
        ['pairs']
    """
    start = f"{part}{DOT}"
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
