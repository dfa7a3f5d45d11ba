"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import IO, Any

import click

from ..engines import ENGINES
from ..errors import CoindexError, UnknownNameError
from ..formats.registry import NAMES
from ..resolvers.registry import resolver_names
from .help import Decorator, combine, option


class KnownName(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A name in a registry; for an unknown name, the error suggests similar ones."""

    def __init__(self, kind: str, known: Iterable[str] | Callable[[], Iterable[str]]) -> None:
        self.name = kind
        self._known = known

    @property
    def known(self) -> tuple[str, ...]:
        """The names; a function that finds them is called only when they are needed."""
        return tuple(self._known() if callable(self._known) else self._known)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.known:
            self.fail(str(UnknownNameError(self.name, value, self.known)), param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


FORMAT_NAME = KnownName("format", NAMES)
RESOLVER_NAME = KnownName("resolver", resolver_names)


class ChainText(click.ParamType):  # type: ignore[type-arg]
    """A resolver, or several steps joined by +; shell completion offers the names."""

    name = "name"

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from ..resolvers.registry import all_resolvers

        names = [resolver.name for resolver in all_resolvers() if not self.kinds or resolver.kind in self.kinds]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class LanguageName(click.ParamType):  # type: ignore[type-arg]
    """A language as ISO 639 code or name, converted to the code."""

    name = "language"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str | None:
        from ..text.language_names import UnknownLanguageError, language_code

        try:
            return language_code(value, where="")
        except UnknownLanguageError as error:
            self.fail(str(error), param, ctx)


class NameValue(click.ParamType):  # type: ignore[type-arg]
    """A pair NAME=VALUE."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, content = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r}: write it as NAME=VALUE", param, ctx)
        return name, content


def reading_options(*flags: str) -> Decorator:
    """Return the options of readers: --from FORMAT, and NAME=VALUE under these flags."""
    return combine(
        option(
            "--from",
            "from_format",
            type=FORMAT_NAME,
            section="Input",
            help="Input format (default: detected).",
        ),
        option(
            *flags,
            "read_options",
            type=NameValue(),
            multiple=True,
            section="Input",
            help="Option of the input format, see 'coindex formats NAME'. Repeatable.",
        ),
    )


from_option: Decorator = reading_options("-r", "--read-option")
to_option: Decorator = combine(
    option(
        "--to",
        "to_format",
        type=FORMAT_NAME,
        section="Output",
        help="Format of the documents written (default: from the file name).",
    ),
    option(
        "-w",
        "--write-option",
        "write_options",
        type=NameValue(),
        multiple=True,
        section="Output",
        help="Option of the output format, see 'coindex formats NAME'. Repeatable.",
    ),
)
input_argument: Decorator = click.argument("input", type=click.Path(exists=True, allow_dash=True))
inputs_argument: Decorator = click.argument(
    "inputs", type=click.Path(exists=True, allow_dash=True), nargs=-1, required=True
)
MENTIONS_HELP = "Detect mentions, or use the mentions of the input."
language_option: Decorator = option(
    "--language",
    type=LanguageName(),
    section="Input",
    help="Language of documents without one, as ISO 639 code or name (es, Spanish).",
)
json_option: Decorator = option("--json", "as_json", is_flag=True, section="Output", help="Print JSON instead of text.")
colour_option: Decorator = option(
    "--colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    section="Output",
    help="Colour the terminal output.",
)
workers_options: Decorator = combine(
    option(
        "--jobs",
        "-j",
        type=click.IntRange(min=0),
        default=1,
        section="Parallelism",
        help="Worker processes (0 = one per CPU).",
    ),
    option(
        "--engine",
        type=click.Choice(ENGINES),
        default="local",
        section="Parallelism",
        help="Run the workers as local processes or on Ray (needs coindex[ray]).",
    ),
    option(
        "--address",
        section="Parallelism",
        metavar="ADDRESS",
        help="Ray cluster: auto, HOST:PORT or ray://HOST:PORT (default: Ray on this machine only).",
    ),
)


def format_option(forms: Iterable[str]) -> Decorator:
    """Return the option --format for results that can be printed in these forms."""
    return option(
        "--format", "form", type=click.Choice(tuple(forms)), default="text", section="Output", help="Output format."
    )


STDOUT = "<stdout>"
new_file_option: Decorator = option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", atomic=True),
    default="-",
    section="Output",
    help="File to write (- = standard output).",
)


def output_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add -o for results, and refuse to overwrite an input or to write into a missing folder."""

    @wraps(command)
    def check_then_run(*context: Any, output: IO[str], **arguments: Any) -> Any:
        _check_output(str(getattr(output, "name", STDOUT)), arguments)
        return command(*context, output=output, **arguments)

    return new_file_option(check_then_run)


def _check_output(path: str, arguments: dict[str, Any]) -> None:
    if path == STDOUT:
        return
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise CoindexError(
            f"no such folder; create it to write {os.path.basename(path)} there",
            code="unwritable-file",
            path=folder,
        )
    for text in _iterate_strings(arguments):
        if os.path.isfile(path) and os.path.isfile(text) and os.path.samefile(path, text):
            raise CoindexError(
                f"the output would overwrite the input {text}; choose another file for -o",
                code="output-in-input",
                path=path,
            )


def _iterate_strings(value: Any) -> Iterator[str]:
    """Yield all strings in arguments and options, at any depth; paths are among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _iterate_strings(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _iterate_strings(item)
