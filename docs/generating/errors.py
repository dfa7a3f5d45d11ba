"""The page of errors, warnings and exit codes."""

from __future__ import annotations

import inspect

from coindex import errors

from .members import class_text
from .text import NOTES, first_paragraph


def errors_page() -> str:
    """The exceptions and warnings, and what a problem says."""
    classes = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
    classes.sort(key=lambda cls: inspect.getsourcelines(cls)[1])
    kinds = {"Errors": Exception, "Warnings": Warning}
    parts = ["# Errors and exit codes\n\n", (NOTES / "errors.md").read_text(encoding="utf-8")]
    for title, base in kinds.items():
        parts.append(f"\n## {title}\n\n| class | is a | meaning |\n|---|---|---|\n")
        for cls in classes:
            if issubclass(cls, base) and (base is Warning or not issubclass(cls, Warning)):
                parts.append(f"| `{cls.__name__}` | `{cls.__bases__[0].__name__}` | {first_paragraph(cls)} |\n")
    parts += ["\n## What a problem says\n", class_text(errors.Problem)]
    return "".join(parts)
