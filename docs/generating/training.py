"""The page of the training settings: every key of the TOML file of a run, read from its configuration classes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from coindex.training.config import TRAINING_KINDS

from .members import field_meanings
from .text import cell, first_paragraph, items

TITLES = {
    "": ("Neural models", "For models such as `en-small`. The file has no `kind`."),
    "cross": ("Cross-document models", 'For models such as `en-cross`. The file starts with `kind = "cross"`.'),
    "ud": ("Models over trees", 'For models such as `xx-ud`. The file starts with `kind = "ud"`.'),
}
"""Heading and introduction of each kind of run."""
NAMES: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "`true`, `false`"}
"""Types of values."""


class Setting(NamedTuple):
    """A key of a section: type and default as they are written in TOML, and what it does."""

    name: str
    type: str
    default: str
    meaning: str


class Section(NamedTuple):
    """A table of the TOML file; `heading` is its name in brackets, empty for the keys above all tables."""

    heading: str
    summary: str
    settings: list[Setting]


def training_page() -> str:
    """Return the page: a chapter for each kind of run, a table for each section."""
    parts = [
        "# Training settings\n\n",
        "Every key of the TOML file of `coindex train`. Keys without a default are required; unknown keys are errors. ",
        "Change single values on the command line with `--set train.epochs=3`. [Train a model](../train/train.md) ",
        "has examples; [Resolvers](resolvers.md#features-of-pairs) lists the values of `model.features`.\n",
    ]
    seen: set[Setting] = set()
    for kind in TRAINING_KINDS:
        title, introduction = TITLES[kind]
        parts.append(f"\n## {title}\n\n{introduction}\n")
        for section in sections(kind):
            parts.append(_section_text(section, seen))
            seen.update(section.settings)
    return "".join(parts)


def sections(kind: str) -> Iterator[Section]:
    """Yield the sections of the file of one kind of run."""
    return _walk(TRAINING_KINDS[kind].config_class(), "", is_list=False)


def _walk(cls: type[Any], path: str, *, is_list: bool) -> Iterator[Section]:
    hints, meanings = get_type_hints(cls), field_meanings(cls)
    settings, below = [], []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        inner = get_args(hint)[0] if get_origin(hint) is tuple else hint
        if dataclasses.is_dataclass(inner):
            below.append((inner, f"{path}.{field.name}".lstrip("."), inner is not hint))
        else:
            settings.append(Setting(field.name, _type(hint), _default(field), meanings.get(field.name, "")))
    heading = f"[[{path}]]" if is_list else f"[{path}]"
    yield Section(heading if path else "", first_paragraph(cls), settings)
    for inner, name, is_inner_list in below:
        assert isinstance(inner, type)
        yield from _walk(inner, name, is_list=is_inner_list)


def _section_text(section: Section, seen: set[Setting]) -> str:
    """Return a section; keys with a default and a description that were given above are only named."""
    heading = f"\n### `{section.heading}`\n" if section.heading else ""
    known = {(setting.name, setting.meaning): setting for setting in seen}
    new = [setting for setting in section.settings if (setting.name, setting.meaning) not in known]
    again = ", ".join(_usage(setting) for setting in section.settings if setting not in new)
    listed = items((_usage(setting), cell(setting.meaning)) for setting in new)
    ending = f"\nAs above: {again}.\n" if again else ""
    return f"{heading}\n{section.summary}\n\n{listed}{ending}"


def _usage(setting: Setting) -> str:
    """Return a key with its default as in the file, or with its type; the type is given if it has few values."""
    if setting.default in ("required", "–"):
        return f"`{setting.name}` ({setting.type}, {'required' if setting.default == 'required' else 'optional'})"
    usage = f"`{setting.name} = {setting.default.strip('`')}`"
    if setting.type.startswith("list"):
        return usage
    others = [value for value in setting.type.split(", ") if value != setting.default]
    return f"{usage} (or {', '.join(others)})" if "`" in setting.type and "`true`" not in setting.type else usage


def _type(hint: Any) -> str:
    """Return a type as the values that TOML has for it."""
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return ", ".join(f"`{json.dumps(value)}`" for value in inner)
    if get_origin(hint) is tuple:
        item = NAMES[inner[0]] + "s" if inner[0] in NAMES else _type(inner[0])
        return f"list of {item}" if inner[1] is ... else f"list of {len(inner)} {item}"
    choices = [one for one in inner or (hint,) if one is not type(None)]
    return ", ".join(NAMES.get(one) or _type(one) for one in choices)


def _default(field: dataclasses.Field[Any]) -> str:
    """Return the default as TOML has it; a dash where the key may be left out and has no value."""
    if field.default is dataclasses.MISSING:
        return "required"
    return "–" if field.default is None else f"`{json.dumps(field.default)}`"
