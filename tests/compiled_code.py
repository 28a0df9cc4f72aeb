"""The folder in which the tests keep compiled code between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

COMPILED = Path(__file__).resolve().parents[1] / ".cache" / f"compiled-{sys.version_info.major}{sys.version_info.minor}"


def keep() -> None:
    """Let this process and its children use the folder. Call it before the first import of the package."""
    os.environ.setdefault("FRACTURE_COMPILED", str(COMPILED))
