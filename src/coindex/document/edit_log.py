"""Edits as data: kept in a log, sent over a wire, applied by name."""

from __future__ import annotations

import reprlib  # short, however deep or long the value
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from typing import Any

from ..errors import EditError, UnknownNameError
from . import edits
from .documents import Document

EDITS: dict[str, Callable[..., Document]] = {
    function.__name__: function
    for function in (
        edits.add_mention,
        edits.remove_mention,
        edits.resize_mention,
        edits.set_head,
        edits.set_attributes,
        edits.set_entity,
        edits.link,
        edits.unlink,
        edits.merge,
        edits.split,
        edits.rename_entity,
        edits.insert_zero,
        edits.remove_zero,
        edits.add_bridge,
        edits.remove_bridge,
        edits.set_split_antecedent,
        edits.remove_split_antecedent,
    )
}


@dataclass(frozen=True, slots=True)
class Edit:
    """The name of an edit and its arguments, which are what JSON can say; tuples become lists."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", _plain(self.arguments))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "arguments": self.arguments}

    @classmethod
    def from_json(cls, data: object) -> Edit:
        """An edit from what `to_json` gave; its arguments are checked when it is applied."""
        if not isinstance(data, dict) or data.keys() != {"name", "arguments"}:
            raise EditError(f"{reprlib.repr(data)} is not an edit; it has a name and arguments")
        if not isinstance(data["name"], str) or not isinstance(data["arguments"], dict):
            raise EditError("an edit's name is a string and its arguments are an object with their names")
        return cls(data["name"], data["arguments"])


def apply(doc: Document, edit: Edit) -> Document:
    """The document after the edit; EditError where it does not fit."""
    function = EDITS.get(edit.name)
    if function is None:
        raise UnknownNameError("edit", edit.name, EDITS)
    _check_arguments(edit, _parameters(function))
    return function(doc, **edit.arguments)


def apply_all(doc: Document, steps: Iterable[Edit]) -> Document:
    """The document after all these edits."""
    for edit in steps:
        doc = apply(doc, edit)
    return doc


def _plain(value: Any, depth: int = 3) -> Any:
    if depth and isinstance(value, Mapping):
        return {name: _plain(content, depth - 1) for name, content in value.items()}
    if depth and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(content, depth - 1) for content in value]
    return value  # no argument is deeper than arguments, list of mentions, list of positions


# --- what an argument may be: the log and the web bring anything that JSON can say


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_str(value: object) -> bool:
    return isinstance(value, str)


def _all(test: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_attributes(value: object) -> bool:
    return isinstance(value, dict) and all(_is_str(name) and _is_str(text) for name, text in value.items())


def _or_none(test: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or test(value)


_CHECKS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "str": ("a string", _is_str),
    "str | None": ("a string or null", _or_none(_is_str)),
    "str | EllipsisType | None": ("a string or null", _or_none(_is_str)),
    "Kind | EllipsisType": ("entity or event", _is_str),
    "int": ("a whole number", _is_int),
    "int | None": ("a whole number or null", _or_none(_is_int)),
    "Iterable[int]": ("a list of positions", _all(_is_int)),
    "Iterable[Iterable[int]]": ("a list of lists of positions", _all(_all(_is_int))),
    "Iterable[str]": ("a list of strings", _all(_is_str)),
    "Mapping[str, str]": ("names with strings", _is_attributes),
    "Mapping[str, str] | EllipsisType": ("names with strings", _is_attributes),
    "Mapping[str, str] | None": ("names with strings", _or_none(_is_attributes)),
}


@cache
def _parameters(function: Callable[..., Document]) -> Mapping[str, Parameter]:
    return {name: parameter for name, parameter in signature(function).parameters.items() if name != "doc"}


def _check_arguments(edit: Edit, parameters: Mapping[str, Parameter]) -> None:
    for name, value in edit.arguments.items():
        if name not in parameters:
            raise UnknownNameError(f"argument of {edit.name}", str(name), parameters)
        words, test = _CHECKS[parameters[name].annotation]
        if not test(value):
            raise EditError(f"{edit.name}: {name} is {reprlib.repr(value)}; expected {words}")
    for name, parameter in parameters.items():
        if parameter.default is Parameter.empty and name not in edit.arguments:
            raise EditError(f"{edit.name} without {name}; it is needed")
