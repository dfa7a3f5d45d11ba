"""Markdown helpers for all reference pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

from coindex.formats.registry import Option

NOTES = Path(__file__).parents[1] / "notes"
"""Hand-written parts of the reference: docs/notes/NAME.md."""


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "&#124;").replace("<", "&lt;")


def code(text: str) -> str:
    """Code for a cell: backticks would show an escaped bar with its backslash."""
    return f"<code>{cell(text.replace('&', '&amp;'))}</code>" if set("|<&") & set(text) else f"`{text}`"


def items(rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of names, which are already code, with their descriptions."""
    return "".join(f"- {name}: {about}\n" if about else f"- {name}\n" for name, about in rows)


def option_item(option: Option, before: str = "") -> tuple[str, str]:
    """Return the name of an option with its values, the default first, and its description."""
    values = f" ({', '.join(f'`{choice}`' for choice in option.choices)})" if option.choices else ""
    return f"`{before}{option.name}`{values}", cell(option.help)


def first_paragraph(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def markdown(thing: object) -> str:
    """A docstring as Markdown; its examples become code."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r"  # doctest: \+\w+", "", text)
    return re.sub(r"(?m)^>>> (.*)$", r"```py\n\1\n```", text)
