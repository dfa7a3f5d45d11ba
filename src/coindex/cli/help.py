"""The layout of help texts: commands grouped by task, options grouped under headings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Row = tuple[str, str]

GENERAL = "General"
SECTIONS = (
    "Input",
    "Resolver",
    "Training",
    "Annotation",
    "Analysis",
    "Campaign",
    "Submissions",
    "Scoring",
    "Statistics",
    "Collections",
    "Output",
    "Parallelism",
    "Server",
    "Limits",
    GENERAL,
)
MOST_UNGROUPED = 8
"""Options of a command that are shown as one list; with more, they are shown by section."""
TERM_WIDTH = 30
"""Columns for option names; help for a longer one starts on the next line, as click does it."""


class Option(click.Option):
    """An option that is listed under a heading in the help of commands with many options."""

    def __init__(self, *flags: Any, section: str = GENERAL, **settings: Any) -> None:
        super().__init__(*flags, **settings)
        if section not in SECTIONS:
            raise ValueError(f"{section!r}: unknown section of options; add it to SECTIONS")
        self.section = section
        if self.metavar is None and not self.is_flag and self.type.name.startswith(("integer", "float")):
            self.metavar = "N"


def option(*flags: str, section: str = GENERAL, **settings: Any) -> Decorator:
    """Return the decorator of an option under a heading; settings are those of `click.option`."""
    return click.option(*flags, cls=Option, section=section, **settings)


def combine(*options: Decorator) -> Decorator:
    """Return one decorator that adds several options in their order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for add_option in reversed(options):
            command = add_option(command)
        return command

    return decorate


class Command(click.Command):
    """A command whose options are grouped when there are many of them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, ctx, formatter)


class Group(click.Group):
    """A command with subcommands, which are listed before its options."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        write_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, get_summary(command)) for name, command in self.commands.items()]
        write_sections(formatter, [("Commands", rows)])


def get_summary(command: click.Command) -> str:
    """Return the first paragraph of a command's help on one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def group_options(command: click.Command, ctx: click.Context) -> dict[str, list[click.Parameter]]:
    """Return the options of a command by section; a command with few options has one section."""
    params = [param for param in command.get_params(ctx) if isinstance(param, click.Option)]
    own = [param for param in params if getattr(param, "section", GENERAL) != GENERAL]
    if len(own) <= MOST_UNGROUPED:
        return {"Options": [*params]}
    sections: dict[str, list[click.Parameter]] = {section: [] for section in SECTIONS}
    for param in params:
        sections[getattr(param, "section", GENERAL)].append(param)
    return {section: params for section, params in sections.items() if params}


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the options of a command, under headings if there are many."""
    grouped = group_options(command, ctx)
    sections = [(section, [param.get_help_record(ctx) for param in params]) for section, params in grouped.items()]
    write_sections(formatter, [(title, [row for row in rows if row is not None]) for title, rows in sections])


def write_sections(formatter: click.HelpFormatter, sections: Iterable[tuple[str, list[Row]]]) -> None:
    """Write lists of terms under headings, with all descriptions in the same column."""
    sections = list(sections)
    width = max(min(len(term), TERM_WIDTH) for _, rows in sections for term, _ in rows)
    for title, rows in sections:
        with formatter.section(title):
            formatter.write_dl([(term.ljust(width), about) for term, about in rows])
