"""Resolutions at which tests of physical laws run."""

from __future__ import annotations

import pytest


def missed(*values, figure: str):
    """Values of parameters at which a law is missed, with the figure that was measured there."""
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=figure))
