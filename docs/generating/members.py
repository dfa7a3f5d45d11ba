"""Functions and classes as Markdown: signatures, fields, members, docstrings."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, is_typeddict

from .text import cell, code, first_paragraph, markdown


def function_text(function: Callable[..., Any]) -> str:
    """Return the signature and docstring of a function."""
    return f"\n### {function.__name__}\n\n{signature(function)}\n{markdown(function)}\n"


def signature(function: Callable[..., Any], *, indent: bool = True) -> str:
    """Return the signature with annotations as written, or in one line without those of parameters."""
    parameters = []
    signature = inspect.signature(function)
    starred = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parameters.append(_parameter(parameter, annotated=indent))
    ending = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    line = f"{function.__name__}({', '.join(parameters)}){ending}"
    if indent and len(line) > 88:
        listed = "".join(f"    {parameter},\n" for parameter in parameters)
        line = f"{function.__name__}(\n{listed}){ending}"
    return f"```py\n{line}\n```\n" if indent else line


def _parameter(parameter: inspect.Parameter, *, annotated: bool) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    annotated = annotated and parameter.annotation is not parameter.empty
    if annotated:
        text += f": {parameter.annotation}"
    if parameter.default is not parameter.empty:
        default = parameter.default
        text += (" = " if annotated else "=") + (
            "..." if default is ... else getattr(default, "__name__", None) or repr(default)
        )
    return text


class Field(NamedTuple):
    """A field of a class: name, type and default as written, and the docstring below it."""

    field: str
    type: str
    default: str
    meaning: str

    @property
    def text(self) -> str:
        """The field as it is written."""
        return f"{self.field}: {self.type}" + (f" = {self.default}" if self.default else "")


def class_text(cls: type) -> str:
    """Return the docstring, fields, properties and methods of a class."""
    fields = list(_fields(cls))
    rows = [(one.text, one.meaning) for one in fields if one.meaning]
    rows += _members(cls, {one.field for one in fields})
    plain = ", ".join(code(one.text) for one in fields if not one.meaning)
    parts = [f"\n### {cls.__name__}\n\n{markdown(cls)}\n"]
    parts += [f"\nFields: {plain}.\n"] if plain else []
    return "".join([*parts, *_table(rows)])


def functions_text(functions: Iterable[Callable[..., Any]]) -> str:
    """Return a table of functions: signatures and what they do."""
    return "".join(_table((signature(one, indent=False), first_paragraph(one)) for one in functions))


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = [f"| {code(name)} | {cell(meaning)} |\n" for name, meaning in rows]
    return ["\n| name | description |\n|---|---|\n", *lines] if lines else []


def _fields(cls: type) -> Iterator[Field]:
    """The fields of a dataclass, a named tuple or a typed dictionary."""
    meanings = field_meanings(cls)
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            yield Field(field.name, str(field.type), _default(field), meanings.get(field.name, ""))
        return
    defaults = getattr(cls, "_field_defaults", {})
    for name in getattr(cls, "_fields", cls.__annotations__ if is_typeddict(cls) else ()):
        type = cls.__annotations__[name]
        default = repr(defaults[name]) if name in defaults else ""
        yield Field(name, str(getattr(type, "__forward_arg__", type)), default, meanings.get(name, ""))


def field_meanings(cls: type) -> dict[str, str]:
    """Return the strings below the fields in the source, by the names of the fields; those of bases are included."""
    meanings = {}
    for base in reversed([one for one in cls.__mro__ if dataclasses.is_dataclass(one)] or [cls]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for one, after in itertools.pairwise(tree.body):
            match one, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    meanings[name] = " ".join(text.split())
    return meanings


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return repr(field.default)
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.default_factory.__name__}()"
    return ""


def _members(cls: type, fields: set[str]) -> Iterator[tuple[str, str]]:
    """Properties, then methods, in the order of the source."""
    found = [(name, value) for name, value in vars(cls).items() if not name.startswith("_") and name not in fields]
    for name, value in found:
        if isinstance(value, property | cached_property):
            function = value.fget if isinstance(value, property) else value.func
            yield f"{name}: {inspect.signature(function).return_annotation}", first_paragraph(value)  # type: ignore[arg-type]
    for _, value in found:
        function = getattr(value, "__func__", value)  # of a classmethod
        if inspect.isfunction(function):
            before = f"{cls.__name__}." if isinstance(value, classmethod) else ""
            yield before + signature(function, indent=False), first_paragraph(function)
