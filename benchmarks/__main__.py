"""`python -m benchmarks [NAME …]`: run all benchmarks, or those named, and write their results."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("formats", "scoring", "resolving", "quality")


def main() -> None:
    wanted = sys.argv[1:] or NAMES
    for name in wanted:
        if name not in NAMES:
            sys.exit(f"unknown benchmark {name!r}; known: {', '.join(NAMES)}")
        import_module(f"benchmarks.{name}").main()


main()
