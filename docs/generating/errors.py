"""The page of errors, warnings and exit codes."""

from __future__ import annotations

import inspect

from coindex import errors
from coindex.error_codes import CODES

from .error_uses import find_uses
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
                parent = next(cls for cls in cls.__bases__ if issubclass(cls, Exception))
                parts.append(f"| `{cls.__name__}` | `{parent.__name__}` | {first_paragraph(cls)} |\n")
    parts += ["\n## What a problem says\n", class_text(errors.Problem)]
    parts += ["\n## Codes\n\n", _CODES, "| code | severity | meaning |\n|---|---|---|\n"]
    severities: dict[str, set[str]] = {code: set() for code in CODES}
    for use in find_uses():
        severities.setdefault(use.code, set()).update([use.severity] if use.severity else ["error", "warning"])
    for code, meaning in sorted(CODES.items()):
        parts.append(f"| `{code}` | {' or '.join(sorted(severities[code]))} | {meaning} |\n")
    return "".join(parts)


_CODES = """\
Every error, problem and warning has a code in its field `code`. A code keeps its meaning in all later versions, while
the wording of a message may change: let your programs compare codes, not messages. `coindex validate --json` and the
reports of campaigns print the codes too. An error ends a command with exit code 2, unless the table of exit codes says
otherwise; a warning does not change the exit code.

"""
