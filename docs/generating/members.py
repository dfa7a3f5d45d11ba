"""Functions and classes as Markdown: signatures, fields, members, docstrings."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, is_typeddict

from .text import cell, code, first_paragraph, items, markdown

EVERYWHERE = ("to_dict", "to_json")
"""Methods that mean the same in all classes; the page of the API describes them once."""


def function_text(function: Callable[..., Any]) -> str:
    """Return the signature and docstring of a function."""
    return f"\n### {function.__name__}\n\n{_block(signature(function))}\n{_docstring(function)}\n"


def _docstring(function: Callable[..., Any]) -> str:
    """Return the docstring without what the top of the page or the signature says."""
    text = re.sub(r"(?m)^- `(format`, `read_options|jobs|tick)`: .*\n(  .*\n)*", "", markdown(function) + "\n")
    return re.sub(r"(?m)^Returns an? `\w+`\.\n\n?", "", text).rstrip()


def signature(function: Callable[..., Any]) -> str:
    """Return the signature without the annotations of parameters, whose values the docstring describes."""
    parameters = []
    signature = inspect.signature(function)
    starred = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parameters.append(_parameter(parameter))
    ending = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    return f"{function.__name__}({', '.join(parameters)}){ending}"


def _block(line: str) -> str:
    """Return a signature as a block of code, with its parameters on indented lines if it is long."""
    before, _, rest = line.partition("(")
    parameters, _, ending = rest.rpartition(") -> ")
    if len(line) > 88:
        wrapped = textwrap.fill(parameters, 84, initial_indent="    ", subsequent_indent="    ")
        line = f"{before}(\n{wrapped}\n) -> {ending}"
    return f"```py\n{line}\n```\n"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.default is parameter.empty:
        return text
    name = getattr(parameter.default, "__name__", None)
    is_private = parameter.default is ... or (name is not None and name.startswith(("<", "_")))
    return f"{text}=" + ("..." if is_private else name or repr(parameter.default))


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


def class_text(cls: type, *, brief: bool = False) -> str:
    """Return the docstring, fields, properties and methods of a class, or if it is brief only docstring and fields."""
    fields = list(_fields(cls))
    rows = [(one.text, one.meaning) for one in fields if one.meaning]
    rows += [] if brief else _members(cls, {one.field for one in fields})
    plain = ", ".join(code(one) for one in [field.text for field in fields if not field.meaning] + _bare(rows))
    parts = [f"\n### {cls.__name__}\n\n{markdown(cls)}\n"]
    parts += [f"\nFields: {plain}.\n"] if plain else []
    return "".join([*parts, _list((name, meaning) for name, meaning in rows if meaning)])


def functions_text(functions: Iterable[Callable[..., Any]]) -> str:
    """Return a list of functions: signatures and what they do."""
    return _list((signature(one), first_paragraph(one)) for one in functions)


def _list(rows: Iterable[tuple[str, str]]) -> str:
    listed = items((code(name), cell(meaning)) for name, meaning in rows)
    return f"\n{listed}" if listed else ""


def _bare(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return the members without a description."""
    return [name for name, meaning in rows if not meaning]


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
    skipped = {*fields, *EVERYWHERE}
    found = [(name, value) for name, value in vars(cls).items() if not name.startswith("_") and name not in skipped]
    for name, value in found:
        if isinstance(value, property | cached_property):
            function = value.fget if isinstance(value, property) else value.func
            yield f"{name}: {inspect.signature(function).return_annotation}", first_paragraph(value)  # type: ignore[arg-type]
    for _, value in found:
        function = getattr(value, "__func__", value)  # of a classmethod
        if inspect.isfunction(function):
            before = f"{cls.__name__}." if isinstance(value, classmethod) else ""
            yield before + signature(function), first_paragraph(function)
