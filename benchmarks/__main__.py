"""`python -m benchmarks [NAME …]`: run all benchmarks, or those named, and write their results.

`gap`, `constraints`, `behaviours`, `cross`, `ud`, `annotators`, `scale`, `bakeoff`, `card`, `learned` and `fuzz` take
arguments: `python -m benchmarks gap sieves` measures that resolver.
"""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    *(
        "formats",
        "scoring",
        "parsing",
        "language",
        "resolving",
        "odd-text",
        "replacing",
        "dedup",
        "cross",
        "quality",
        "gap",
        "ud",
    ),
    "constraints",
    "behaviours",
    "editor",
    "annotators",
    "overhead",
    "scale",
)
ON_REQUEST = ("bakeoff", "card", "learned", "fuzz")
"""Those that need a model, packages that only training needs, or arguments."""
WITH_ARGUMENTS = ("gap", "constraints", "behaviours", "cross", "ud", "annotators", "scale", *ON_REQUEST)


def main() -> None:
    wanted = sys.argv[1:] or list(NAMES)
    while wanted:
        name = wanted.pop(0)
        if name not in (*NAMES, *ON_REQUEST):
            sys.exit(f"unknown benchmark {name!r}; known: {', '.join((*NAMES, *ON_REQUEST))}")
        module = import_module(f"benchmarks.{name.replace('-', '_')}")
        if name in WITH_ARGUMENTS and sys.argv[1:]:
            module.main(wanted)
            return
        module.main()


main()
