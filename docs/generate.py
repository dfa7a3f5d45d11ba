"""Make the pages in docs/reference from the code: `python docs/generate.py`. A test fails when one is stale.

What the code does not say of a format stands in docs/notes/NAME.md and is put into its section.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from generating.api import api_page
from generating.cli import cli_page
from generating.errors import errors_page
from generating.formats import formats_page
from generating.resolvers import resolvers_page
from generating.scoring import scoring_page
from generating.training import training_page

HERE = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py from the code: change the code, not this page. -->\n\n"

PAGES: dict[str, Callable[[], str]] = {
    "formats.md": formats_page,
    "cli.md": cli_page,
    "api.md": api_page,
    "scoring.md": scoring_page,
    "resolvers.md": resolvers_page,
    "training.md": training_page,
    "errors.md": errors_page,
}


def main() -> None:
    """Write all pages; say which of them changed."""
    for name, make in PAGES.items():
        path = HERE / "reference" / name
        text = MADE + make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path}\n")


if __name__ == "__main__":
    main()
