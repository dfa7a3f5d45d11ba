"""Arguments of the verbs that take what several annotators made: FILE or NAME=FILE."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click


def named_versions(given: Sequence[str]) -> dict[str, str] | list[str]:
    """The files by name, where names are given; all or none of them have one."""
    pairs = [_pair(text) for text in given]
    for name, path in pairs:
        if path != "-" and not os.path.exists(path):
            hint = "" if name is None else f" (as {name})"
            raise click.UsageError(f"{path}{hint}: no such file or folder; give annotations as FILE or NAME=FILE")
    if all(name is None for name, _ in pairs):
        return [path for _, path in pairs]
    named: dict[str, str] = {}
    for name, path in pairs:
        if not name:
            raise click.UsageError(f"{path}: without a name; where some have one, give all as NAME=FILE")
        if name in named:
            raise click.UsageError(f"{name}: the name of two annotations; give each its own")
        named[name] = path
    return named


def _pair(text: str) -> tuple[str | None, str]:
    """A file that is there may have an equals sign in its name."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and not os.path.exists(text) else (None, text)
