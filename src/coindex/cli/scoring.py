"""Options and output that the scoring commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from ..errors import UnknownNameError
from ..scoring.matching import RULES
from ..scoring.metrics.registry import METRICS
from ..scoring.profiles import DEFAULT, PROFILES, find_profile
from .help import Decorator, combine, option
from .options import format_option, from_option, output_option, workers_options
from .progress import PATIENCE, shows_progress

if TYPE_CHECKING:
    from ..analysis.tables import Table

FORMS = ("text", "json", "csv", "markdown", "latex")
MATCHINGS = tuple(dict.fromkeys(name for rules in RULES.values() for name in rules.matchings))


class ProfileName(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """The name of a scoring profile, with or without its version number."""

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
    """Names of metrics, separated by commas; "all" stands for all of them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        for name in names:
            if name not in METRICS and name != "all":
                self.fail(str(UnknownNameError("metric", name, [*METRICS, "all"])), param, ctx)
        return tuple(METRICS) if "all" in names else tuple(names)


def _make_profile_option(default: str) -> Decorator:
    return option(
        "--profile",
        type=ProfileName(),
        section="Scoring",
        help=f"Settings of a shared task, see 'coindex profiles' (default: {default}).",
    )


_match_options = combine(
    option(
        "--match",
        type=click.Choice(MATCHINGS),
        section="Scoring",
        help="How key and response mentions are matched (default: from the profile).",
    ),
    option(
        "--singletons/--no-singletons",
        default=None,
        section="Scoring",
        help="Keep or remove entities with a single mention (default: from the profile).",
    ),
    option(
        "--zeros",
        type=click.Choice(["dependent", "linear", "none"]),
        section="Scoring",
        help="Match zero mentions by dependency, by position, or remove them (default: from the profile).",
    ),
)
_measure_options = combine(
    option(
        "--metrics",
        type=MetricNames(),
        section="Scoring",
        help="Metrics, comma-separated, or all (default: from the profile).",
    ),
    option(
        "--unit",
        type=click.Choice(["document", "topic", "subtopic", "corpus"]),
        section="Scoring",
        help="Unit that is scored separately before summing (default: from the profile).",
    ),
)
_split_option = option(
    "--split-antecedents",
    "split",
    type=click.Choice(["scored", "ignored", "only"]),
    section="Scoring",
    help="Score split antecedents, ignore them, or score only them, with the profiles ua (default: from the profile).",
)
_data_options = combine(
    option(
        "--kind",
        type=click.Choice(["entity", "event", "deixis"]),
        section="Scoring",
        help="Score only entities, events or discourse deixis.",
    ),
    option(
        "--strict/--no-strict",
        default=True,
        section="Scoring",
        help="Reject input that makes scores meaningless, or accept what the official scorers accept.",
    ),
    workers_options,
    from_option,
)
matching_options: Decorator = combine(_make_profile_option(DEFAULT), _match_options)
"""How mentions are matched."""
scoring_options: Decorator = combine(matching_options, _measure_options, _split_option, _data_options)
"""How scores are computed."""
alignment_options: Decorator = combine(matching_options, _data_options)
"""How mentions are matched, for commands that do not compute scores."""
quality_options: Decorator = combine(
    _make_profile_option("exact matching, with singletons"), _match_options, _data_options
)
"""How annotations are compared with each other."""
agreement_options: Decorator = combine(quality_options, _measure_options)
"""How annotations are compared with each other, with a choice of metrics."""
table_options: Decorator = combine(format_option(FORMS), output_option)


def convert_options(options: dict[str, Any]) -> dict[str, Any]:
    """Convert the options of the command line to those of `coindex.score`."""
    changed = {**options, "format": options["from_format"], "read_options": dict(options["read_options"])}
    del changed["from_format"]
    return changed


def print_tables(tables: Iterable[Table], form: str, output: IO[str]) -> None:
    """Write tables; on a terminal, the best values are bold."""
    from ..analysis.writers import render

    output.write(render(list(tables), form, bold=choose_bold(output)))


def choose_bold(output: IO[str]) -> Callable[[str], str]:
    """Return the function that marks the best values: bold on a terminal, unchanged in files and pipes."""
    on_terminal = output.isatty() and "NO_COLOR" not in os.environ
    return (lambda text: click.style(text, bold=True)) if on_terminal else str


@contextmanager
def show_spinner(what: str) -> Iterator[None]:
    """Show a spinner on a terminal if the work takes longer than a second."""
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
