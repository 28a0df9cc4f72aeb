"""Copy all documents and what they show to build/pages, where mkdocs reads them.

The pages keep their places in the project, so that a link leads to the same page in plain Markdown and on the site.
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "build" / "pages"
PATTERNS = ("*.md", "LICENSE", "pyproject.toml", "docs/**/*", "tests/meshes/README.md", "tests/papers/*_scenes.py")
NOT_SHOWN = {"__pycache__"}


def sources() -> Iterator[Path]:
    """Files of the site, relative to the project."""
    for pattern in PATTERNS:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and not NOT_SHOWN.intersection(path.parts):
                yield path.relative_to(ROOT)


def main() -> None:
    """Copy files that changed, and remove copies of files that are gone; or print what mkdocs needs."""
    if sys.argv[1:] == ["--requirements"]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        sys.stdout.write("\n".join(project["optional-dependencies"]["docs"]) + "\n")
        return
    wanted = set(sources())
    for path in wanted:
        copy = PAGES / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.stat().st_mtime_ns != (ROOT / path).stat().st_mtime_ns:
            shutil.copy2(ROOT / path, copy)
    for folder, _, names in os.walk(PAGES):
        for name in names:
            copy = Path(folder, name)
            if copy.relative_to(PAGES) not in wanted:
                copy.unlink()


if __name__ == "__main__":
    main()
