"""What the verbs that score share: options, and how tables are printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import UnknownNameError
from ..scoring.matching import RULES
from ..scoring.metrics.registry import METRICS
from ..scoring.profiles import PROFILES, find_profile
from .options import Decorator, from_option, output_option
from .progress import PATIENCE, shows_progress

if TYPE_CHECKING:
    from ..analysis.tables import Table

FORMS = ("text", "json", "csv", "markdown", "latex")
MATCHINGS = tuple(dict.fromkeys(name for rules in RULES.values() for name in rules.matchings))


class ProfileName(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """The name of a profile, with or without its number."""

    name = "profile"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return find_profile(value)
        except UnknownNameError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in PROFILES if name.startswith(incomplete)]


class MetricNames(click.ParamType):  # type: ignore[type-arg]
    """Names of metrics, parted by commas; "all" means all of them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        for name in names:
            if name not in METRICS and name != "all":
                self.fail(str(UnknownNameError("metric", name, [*METRICS, "all"])), param, ctx)
        return tuple(METRICS) if "all" in names else tuple(names)


MATCHING_OPTIONS: tuple[Decorator, ...] = (
    click.option("--profile", type=ProfileName(), help="A campaign's settings; `coindex profiles` lists them."),
    click.option("--match", type=click.Choice(MATCHINGS), help="When a mention counts as found."),
    click.option("--singletons/--no-singletons", default=None, help="Keep or drop entities of one mention."),
    click.option("--zeros", type=click.Choice(["dependent", "linear"]), help="Match zeros by DEPS or by position."),
)
_MEASURES: tuple[Decorator, ...] = (
    click.option("--metrics", type=MetricNames(), help="Which metrics, parted by commas; or all."),
    click.option(
        "--unit",
        type=click.Choice(["document", "topic", "subtopic", "corpus"]),
        help="What is scored by itself.",
    ),
)
_DATA: tuple[Decorator, ...] = (
    click.option("--kind", type=click.Choice(["entity", "event"]), help="Score entities or events alone."),
    click.option(
        "--strict/--no-strict",
        default=True,
        help="Refuse what makes a score meaningless, or pass over what official scorers pass over.",
    ),
    click.option("--jobs", "-j", type=click.IntRange(min=0), default=1, help="Processes; 0: one a processor."),
    from_option,
)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how scores are computed."""
    return decorate(command, (*MATCHING_OPTIONS, *_MEASURES, *_DATA))


def matching_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of them that say which mentions correspond, for verbs that compute no scores."""
    return decorate(command, (*MATCHING_OPTIONS, *_DATA))


def decorate(command: Callable[..., Any], options: tuple[Decorator, ...]) -> Callable[..., Any]:
    """The command with these options, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--format and -o."""
    command = output_option(command)
    return click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print.")(command)


def as_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the command line as those of `coindex.score`."""
    changed = {**options, "format": options["from_format"], "read_options": dict(options["read_options"])}
    del changed["from_format"]
    return changed


def print_tables(tables: Iterable[Table], form: str, output: IO[str]) -> None:
    """The tables one after the other; on a terminal the best in bold."""
    from ..analysis.writers import render

    output.write(render(list(tables), form, bold=bold_on(output)))


def bold_on(output: IO[str]) -> Callable[[str], str]:
    """How the best is marked in text: bold on a terminal, not at all elsewhere."""
    on_terminal = output.isatty() and "NO_COLOR" not in os.environ
    return (lambda text: click.style(text, bold=True)) if on_terminal else str


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on the terminal once something has taken a second; nothing when piped."""
    if not shows_progress():
        yield
        return
    from threading import Timer

    from rich.console import Console

    status = Console(stderr=True).status(what)
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
