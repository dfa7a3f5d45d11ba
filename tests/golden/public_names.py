"""The public names of the package as text: one line for each function, class, field, property and method."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, ForwardRef, Literal, get_args, get_origin, is_typeddict

import coindex

_NAME = re.compile(r"[A-Za-z_]\w*")
_SPECIAL = {"__call__", "__contains__", "__getitem__", "__iter__", "__len__", "_repr_html_"}
"""Methods that users call without writing their names."""


def public_names() -> str:
    """Everything in `coindex.__all__`, the classes that users get from there, and the values of named options."""
    lines = []
    for name in coindex.__all__:
        member = getattr(coindex, name)
        if inspect.isfunction(member):
            lines.append(f"coindex.{name}{signature(member)}")
        else:
            lines.append(f"coindex.{name}: {'class' if inspect.isclass(member) else type(member).__name__}")
    for cls in reachable_classes():
        lines += ["", *class_lines(cls)]
    lines += ["", *(f"{name} = {' | '.join(map(repr, values))}" for name, values in sorted(_choices()))]
    return "\n".join(lines) + "\n"


def reachable_classes() -> list[type]:
    """The public classes, and those that public functions, methods, properties and fields give; by name."""
    public = [getattr(coindex, name) for name in coindex.__all__]
    waiting = [member for member in public if inspect.isclass(member)]
    for function in filter(inspect.isfunction, public):
        found_in = [inspect.signature(function).return_annotation, *_options(function)]
        for annotation in found_in:
            waiting += _classes_in(_annotation(annotation), function.__module__)
    found: dict[type, None] = {}
    while waiting:
        cls = waiting.pop()
        if cls in found:
            continue
        found[cls] = None
        for member in _members(cls):
            waiting += _classes_in(member.type, member.module)
    return sorted(found, key=lambda cls: (cls.__name__, cls.__module__))


def _options(function: Callable[..., Any]) -> Iterator[object]:
    """The annotations of `**options`, which name typed dictionaries."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield parameter.annotation


def _choices() -> set[tuple[str, tuple[str, ...]]]:
    """The names in signatures of public functions that stand for a choice of strings, with the strings."""
    found = set()
    for function in filter(inspect.isfunction, (getattr(coindex, name) for name in coindex.__all__)):
        names = _names_of(import_module(function.__module__))
        for word in _NAME.findall(signature(function)):
            if get_origin(names.get(word)) is Literal:
                found.add((word, get_args(names[word])))
    return found


def class_lines(cls: type) -> Iterator[str]:
    """The class with its bases of ours, and below it its public members."""
    bases = [base.__name__ for base in cls.__bases__ if base is not object]
    yield f"class {cls.__name__}" + (f"({', '.join(bases)})" if bases else "")
    yield from (f"    {member.text}" for member in _members(cls))


class _Member:
    """A public member of a class: what is shown of it, and the annotation of what it gives."""

    def __init__(self, text: str, type: str, module: str) -> None:
        self.text = text
        self.type = type
        self.module = module


def _members(cls: type) -> list[_Member]:
    members = [*_fields(cls)]
    own = {field.text.partition(":")[0] for field in members}
    for name in sorted(vars_of(cls)):
        if (name.startswith("_") and name not in _SPECIAL) or name in own:
            continue
        members += _member(name, vars_of(cls)[name], cls)
    return members


def vars_of(cls: type) -> dict[str, Any]:
    """The members that the class and its bases in this package define."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] == "coindex":
            found |= vars(base)
    return found


def _fields(cls: type) -> Iterator[_Member]:
    """The fields in their order, which is that of positional arguments."""
    if is_dataclass(cls):
        for field in fields(cls):
            if not field.name.startswith("_"):
                optional = " = ..." if field.name not in _required(cls) else ""
                annotation = _annotation(field.type)
                keyword = " (keyword only)" if field.kw_only else ""
                yield _Member(f"{field.name}: {annotation}{optional}{keyword}", annotation, cls.__module__)
    elif is_typeddict(cls):
        for name, type in cls.__annotations__.items():
            yield _Member(f"{name}: {_annotation(type)}", _annotation(type), cls.__module__)
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        defaults = cls._field_defaults  # type: ignore[attr-defined]
        for name in cls._fields:
            annotation = _annotation(cls.__annotations__[name])
            default = f" = {_value(defaults[name])}" if name in defaults else ""
            yield _Member(f"{name}: {annotation}{default}", annotation, cls.__module__)


def _required(cls: type) -> set[str]:
    parameters = inspect.signature(cls).parameters.values()
    return {parameter.name for parameter in parameters if parameter.default is parameter.empty}


def _member(name: str, member: Any, cls: type) -> Iterator[_Member]:
    kind = ""
    if isinstance(member, classmethod | staticmethod):
        kind, member = f"{type(member).__name__} ", member.__func__
    elif isinstance(member, property | cached_property):
        getter = member.fget if isinstance(member, property) else member.func
        annotation = _annotation(inspect.signature(getter).return_annotation)  # type: ignore[arg-type]
        yield _Member(f"property {name}: {annotation}", annotation, cls.__module__)
        return
    if inspect.isfunction(member):
        annotation = _annotation(inspect.signature(member).return_annotation)
        yield _Member(f"{kind}{name}{signature(member)}", annotation, member.__module__)


def signature(function: Callable[..., Any]) -> str:
    """The signature without `self`, with annotations as they are written; the same in all versions of Python."""
    found = inspect.signature(function)
    shown: list[str] = []
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in (name[:1] for name in shown):
            shown.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        annotation = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
        default = "" if parameter.default is parameter.empty else f" = {_value(parameter.default)}"
        shown.append(f"{star}{parameter.name}{annotation}{default}")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            shown.append("/")
    shown = [name for at, name in enumerate(shown) if name != "/" or "/" not in shown[at + 1 :]]
    ends = "" if found.return_annotation is found.empty else f" -> {_annotation(found.return_annotation)}"
    return f"({', '.join(shown)}){ends}"


def _annotation(annotation: object) -> str:
    """An annotation as it is written, without the names of modules."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Za-z_])", "", text.strip("'\""))


def _value(value: object) -> str:
    """A default; of functions and other objects only what they are."""
    if value is ...:
        return "..."
    if isinstance(value, str | int | float | tuple | frozenset | type(None)):
        return repr(value)
    return value.__name__ if inspect.isclass(value) else f"<{type(value).__name__}>"


# --- what the names in annotations mean


def _classes_in(annotation: str, module: str) -> list[type]:
    """The classes of this package that an annotation names."""
    names = _names_of(import_module(module))
    found = (names.get(name) for name in _NAME.findall(annotation))
    return [one for one in found if inspect.isclass(one) and one.__module__.startswith("coindex")]


@cache
def _names_of(module: ModuleType) -> dict[str, Any]:
    """The names of a module, those included that it imports for its annotations only."""
    names = dict(vars(module))
    for block in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.level:  # of this package
                    source = "." * line.level + (line.module or "")
                    found = import_module(source, module.__package__)
                    names |= {alias.asname or alias.name: getattr(found, alias.name) for alias in line.names}
    return names
