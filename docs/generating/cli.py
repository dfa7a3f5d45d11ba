"""The page of the command line."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import click

from coindex.cli.help import SECTIONS
from coindex.cli.main import COMMANDS, EXIT_CODES, cli

from .text import cell, code

SHARED_BY = 2
"""An option that so many commands or subcommands have, with the same description, is described once."""


class OptionRow(NamedTuple):
    """An option as the page shows it."""

    section: str
    name: str
    usage: str
    about: str

    def __str__(self) -> str:
        return f"- {self.usage}: {self.about}\n"


def cli_page() -> str:
    """Return the page with every command, generated from the definitions that `--help` shows."""
    commands = dict(_all_commands())
    families: dict[str, set[OptionRow]] = {}
    for name, command in commands.items():
        families.setdefault(name.split()[1], set()).update(_rows(command))
    counts = Counter(row for rows in families.values() for row in rows)
    uses = Counter(row for command in commands.values() for row in _rows(command))
    most = {row.name: row for row in sorted(counts, key=lambda row: (counts[row], uses[row], row))}
    shared = [row for row in most.values() if counts[row] >= SHARED_BY]
    shared.sort(key=lambda row: (SECTIONS.index(row.section), row.name))
    return "".join(
        [
            "# Command line\n\n",
            "`coindex COMMAND --help` prints this help with examples; `python -m coindex` is the same command. ",
            "Results go to standard output; warnings, errors and progress bars go to standard error. ",
            "Progress bars appear only in a terminal, after a second of work. ",
            "Every command accepts `-q` (`--quiet`), which prints only results, warnings and errors. ",
            "Set `NO_COLOR` to turn off colours.\n\n",
            "```bash\ncoindex resolve examples/story.txt\n```\n\n",
            *(_list_section(title, summaries) for title, summaries in COMMANDS.items()),
            "\nExit codes: ",
            "; ".join(f"{number} {meaning}" for number, meaning in EXIT_CODES.items()),
            " ([details](errors.md)).\n",
            "\n## Common options\n\n",
            "These options have the same meaning in every command that lists them.\n\n",
            *map(str, shared),
            *(_describe(name, commands, shared) for name in commands),
        ]
    )


def _all_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield commands and their subcommands by full name."""
    for summaries in COMMANDS.values():
        for name in summaries:
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            yield f"coindex {name}", command
            if isinstance(command, click.Group):
                for below, subcommand in command.commands.items():
                    yield f"coindex {name} {below}", subcommand


def _list_section(title: str, summaries: dict[str, str]) -> str:
    return f"- {title}: {', '.join(f'[{name}](#coindex-{name})' for name in summaries)}\n"


def _describe(name: str, commands: dict[str, click.Command], shared: list[OptionRow]) -> str:
    """Return the section of a command: usage, help, its own options, the names of common ones.

    Options that subcommands of a command share are listed in the section of that command only.
    """
    command = commands[name]
    level = "#" * name.count(" ") + "#"
    arguments = [_argument(param) for param in command.params if isinstance(param, click.Argument)]
    if isinstance(command, click.Group):
        arguments.append("|".join(command.commands))
    usage = " ".join([name, *arguments])
    rows = _rows(command)
    family = name.rpartition(" ")[0]
    above = _shared_rows(commands[family]) if family in commands else []
    rows += _shared_rows(command) if isinstance(command, click.Group) else []
    own = "".join(str(row) for row in rows if row not in shared and row not in above)
    common = "" if isinstance(command, click.Group) else ", ".join(f"`{row.name}`" for row in rows if row in shared)
    from_family = ", ".join(f"`{row.name}`" for row in rows if row in above and row not in shared)
    heading = "\nOptions of several subcommands:\n" if isinstance(command, click.Group) else ""
    parts = [
        f"\n{level} {name}\n\n```text\n{usage}\n```\n\n{_help_text(command.help or '')}",
        f"{heading}\n{own}" if own else "",
        f"\n[Options of several subcommands](#{family.replace(' ', '-')}): {from_family}\n" if from_family else "",
        f"\n[Common options](#common-options): {common}\n" if common else "",
    ]
    return "".join(parts)


def _rows(command: click.Command) -> list[OptionRow]:
    """Return the options of a command in the order of `--help`, without those that every command has."""
    params = [param for param in command.params if isinstance(param, click.Option) and param.name != "quiet"]
    rows = [_option(param) for param in params]
    return sorted(rows, key=lambda row: SECTIONS.index(row.section))


def _shared_rows(command: click.Command) -> list[OptionRow]:
    """Return the options that several subcommands of a group have."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    counts = Counter(row for subcommand in below for row in _rows(subcommand))
    return [row for row, count in counts.items() if count >= SHARED_BY]


def _argument(argument: click.Argument) -> str:
    if argument.metavar is not None:
        return argument.metavar
    name = argument.name or ""
    shown = "|".join(argument.type.choices) if isinstance(argument.type, click.Choice) else name.upper()
    shown += "..." if argument.nargs == -1 else ""
    return shown if argument.required else f"[{shown}]"


def _option(option: click.Option) -> OptionRow:
    """Return an option; its usage and default are those that click prints."""
    context = click.Context(cli, show_default=True)
    record = option.get_help_record(context)
    assert record is not None
    section: str = getattr(option, "section", SECTIONS[-1])
    about = re.sub(r"  \[x>=\d+\]|; x>=\d+(?=\])", "", record[1]).replace("  [", " [")
    return OptionRow(section, max(option.opts, key=len), code(record[0]), cell(about))


def _help_text(text: str) -> str:
    """Return paragraphs as they are, and those after click's \\b, which keep their lines, as code.

    Examples are left out: the guides show them with their output.
    """
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            lines = paragraph.removeprefix("\b").strip("\n")
            if not lines.startswith("Examples:\n"):
                parts.append("```text\n" + inspect.cleandoc(lines) + "\n```\n")
        else:
            parts.append(paragraph + "\n")
    return "\n".join(parts)
