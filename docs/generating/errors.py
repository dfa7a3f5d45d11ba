"""The reference page of errors, warnings and exit codes."""

from __future__ import annotations

import inspect

from coindex import errors
from coindex.error_codes import CODES

from .error_uses import find_uses
from .members import class_text
from .text import NOTES, first_paragraph

AREAS = {
    "Files and documents": {"formats", "document", "corpora", "text"},
    "Scoring and analysis": {"scoring", "analysis", "annotation"},
    "Resolvers and training": {"resolvers", "training", "engines", "integrations"},
    "Servers and shared tasks": {"server", "serving.py", "annotation_app", "campaigns"},
    "General": set(),
}
"""Where codes come from, by the folders in src/coindex; those of several areas are general."""


def errors_page() -> str:
    """The exceptions, the warnings, the fields of a problem and all codes."""
    classes = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
    classes.sort(key=lambda cls: inspect.getsourcelines(cls)[1])
    parts = ["# Errors and exit codes\n\n", (NOTES / "errors.md").read_text(encoding="utf-8")]
    parts.append("\n## Classes\n\nThe base class is in parentheses.\n\n")
    for cls in classes:
        if issubclass(cls, Exception):
            parent = next(base for base in cls.__bases__ if issubclass(base, Exception))
            parts.append(f"- `{cls.__name__}` (`{parent.__name__}`): {first_paragraph(cls)}\n")
    return "".join([*parts, class_text(errors.Problem), "\n## Codes\n\n", _CODES, *_codes()])


_CODES = """\
Every error, problem and warning has a `code`. Codes keep their meaning in later versions; messages can change.
`coindex validate --json` and the APIs of the servers contain the codes. An error ends a command with exit code 2 unless
the table above says otherwise. Codes marked (w) are warnings, those marked (e/w) can be either.
"""


def _codes() -> list[str]:
    """A list of codes for each area."""
    severities: dict[str, set[str]] = {code: set() for code in CODES}
    folders: dict[str, set[str]] = {code: set() for code in CODES}
    for use in find_uses():
        severities.setdefault(use.code, set()).update([use.severity] if use.severity else ["error", "warning"])
        folders.setdefault(use.code, set()).add(use.module.partition("/")[0])
    marks = {("warning",): " (w)", ("error", "warning"): " (e/w)"}
    rows: dict[str, list[str]] = {area: [] for area in AREAS}
    for code, meaning in sorted(CODES.items()):
        area = next((area for area, inside in AREAS.items() if folders[code] and folders[code] <= inside), "General")
        mark = marks.get(tuple(sorted(severities[code])), "")
        rows[area].append(f"- `{code}`{mark}: {meaning.removesuffix('.')}\n")
    return [text for area, lines in rows.items() for text in (f"\n### {area}\n\n", *lines)]
