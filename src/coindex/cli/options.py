"""Options that several verbs share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import IO, Any

import click

from ..errors import CoindexError, UnknownNameError
from ..formats.registry import NAMES
from ..resolvers.registry import MODULES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class KnownName(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A name of a registry; a wrong one is answered with the near ones."""

    def __init__(self, kind: str, known: Iterable[str]) -> None:
        self.name = kind
        self.known = tuple(known)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.known:
            self.fail(str(UnknownNameError(self.name, value, self.known)), param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


FORMAT_NAME = KnownName("format", NAMES)
RESOLVER_NAME = KnownName("resolver", MODULES)


class ChainText(click.ParamType):  # type: ignore[type-arg]
    """A resolver, or several steps joined by +; completion knows the names."""

    name = "name"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from ..resolvers.registry import all_resolvers

        names = [resolver.name for resolver in all_resolvers() if not self.kinds or resolver.kind in self.kinds]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class LanguageName(click.ParamType):  # type: ignore[type-arg]
    """A language by its code or name; the value is the code."""

    name = "language"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str | None:
        from ..text.language_names import UnknownLanguageError, language_code

        try:
            return language_code(value, where="")
        except UnknownLanguageError as error:
            self.fail(str(error), param, ctx)


class NameValue(click.ParamType):  # type: ignore[type-arg]
    """NAME=VALUE."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, content = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r}: write it as NAME=VALUE", param, ctx)
        return name, content


def reading_options(*flags: str) -> Decorator:
    """--from FORMAT, and under these names options of the reader."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            *flags,
            "read_options",
            type=NameValue(),
            multiple=True,
            help="An option of the reader; `coindex formats NAME` lists them.",
        )(command)
        return click.option(
            "--from", "from_format", type=FORMAT_NAME, help="The input's format, where it is not to be detected."
        )(command)

    return decorate


from_option: Decorator = reading_options("-r", "--read-option")


def to_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--to FORMAT and -w NAME=VALUE."""
    command = click.option(
        "-w",
        "--write-option",
        "write_options",
        type=NameValue(),
        multiple=True,
        help="An option of the writer; `coindex formats NAME` lists them.",
    )(command)
    return click.option(
        "--to", "to_format", type=FORMAT_NAME, help="The output's format, where its name does not tell."
    )(command)


input_argument: Decorator = click.argument("input", type=click.Path(exists=True, allow_dash=True))
inputs_argument: Decorator = click.argument(
    "inputs", type=click.Path(exists=True, allow_dash=True), nargs=-1, required=True
)
zeros_option: Decorator = click.option(
    "--zeros",
    type=click.Choice(["predict", "given", "ignore"]),
    help="Dropped subjects: find them where the input has no empty nodes, take those of the input alone, or leave "
    "zeros out; for resolvers such as xx-ud, which else finds them.",
)


def language_option(what: str) -> Decorator:
    """--language, for `what` does not say its own."""
    return click.option(
        "--language",
        type=LanguageName(),
        help=f"ISO 639 code or name, such as es or Spanish, for {what}.",
    )


json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


STANDARD = "<stdout>"


def output_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """-o, for what is told of corpora: no file that is read is written over, and a missing folder is told of first."""

    @wraps(command)
    def checked(*context: Any, output: IO[str], **given: Any) -> Any:
        _check_output(str(getattr(output, "name", STANDARD)), given)
        return command(*context, output=output, **given)

    file = click.File("w", encoding="utf-8", atomic=True)
    return click.option("-o", "--output", type=file, default="-", help="Where to write.")(checked)


def _check_output(path: str, given: dict[str, Any]) -> None:
    if path == STANDARD:
        return
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise CoindexError(
            f"no such folder; expected one to write {os.path.basename(path)} into; make it",
            code="unwritable-file",
            path=folder,
        )
    for text in _texts(given):
        if os.path.isfile(path) and os.path.isfile(text) and os.path.samefile(path, text):
            raise CoindexError(
                f"is read as {text}; expected another file to write; choose another name for -o",
                code="output-in-input",
                path=path,
            )


def _texts(given: Any) -> Iterator[str]:
    """All texts among arguments and options, however nested: paths are among them."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        yield from _texts(list(given.values()))
    elif isinstance(given, list | tuple):
        for one in given:
            yield from _texts(one)
