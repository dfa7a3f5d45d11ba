"""The reference page of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from coindex.cli.main import EPILOG, VERBS, cli

from .text import cell

COMMON = 4
"""An option that at least so many top-level commands share is described once for all of them."""


def cli_page() -> str:
    """The usage of each command, from the definitions that `--help` shows."""
    codes = EPILOG.removeprefix("Exit codes: ").rstrip(".").split("; ")
    commands = list(_commands())
    users: dict[str, set[str]] = {}
    for name, command in commands:
        for row in _options(command):
            users.setdefault(row, set()).add(name.split()[1])
    common = [row for row, verbs in users.items() if len(verbs) >= COMMON]
    parts = [
        "# Command line\n\n",
        "`coindex COMMAND --help` prints the help of a command; `python -m coindex` works too. ",
        "Results go to standard output; warnings, errors and progress bars to standard error. ",
        "Progress bars appear only on a terminal. Set `NO_COLOR` to turn colours off.\n\n",
        "| command | description |\n|---|---|\n",
        *(f"| [{verb}](#coindex-{verb}) | {what} |\n" for verb, what in VERBS.items()),
        "\n| exit code | meaning |\n|---|---|\n",
        *(f"| {code} | {meaning} |\n" for code, _, meaning in (text.partition(" ") for text in codes)),
        "\n## Common options\n\n",
        "These options work the same in all commands that list them.\n\n",
        "| option | description |\n|---|---|\n",
        *sorted(common, key=lambda row: row.replace("`", "").lstrip("| -")),
    ]
    shared = common
    for name, command in commands:
        if isinstance(command, click.Group):
            shared = [*common, *_shared(command)]
        elif name.count(" ") == 1:
            shared = common
        parts.append(_section(name, command, common, shared))
    return "".join(parts)


def _shared(group: click.Group) -> list[str]:
    """The rows that all commands of a group have."""
    first, *others = (_options(command) for command in group.commands.values())
    return [row for row in first if all(row in options for options in others)]


def _commands() -> Iterator[tuple[str, click.Command]]:
    """All commands by their names, those of a group after it."""
    for verb in VERBS:
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        yield f"coindex {verb}", command
        if isinstance(command, click.Group):
            yield from ((f"coindex {verb} {name}", below) for name, below in command.commands.items())


def _section(name: str, command: click.Command, common: list[str], shared: list[str]) -> str:
    """A command: options in `common` are only named; a group lists those that its commands share."""
    arguments = [_argument(param) for param in command.params if isinstance(param, click.Argument)]
    if isinstance(command, click.Group):
        arguments.append("|".join(command.commands))
    level = "##" if name.count(" ") == 1 else "###"
    usage = " ".join([name, "[OPTIONS]", *arguments])
    parts = [f"\n{level} {name}\n\n```text\n{usage}\n```\n\n", _help_text(command.help or "")]
    options = _options(command)
    rows = [row for row in options if row not in shared]
    if isinstance(command, click.Group):
        rows += [row for row in shared if row not in common]
    named = [f"`{option.opts[-1]}`" for row, option in options.items() if row in common]
    parts += ["\n| option | description |\n|---|---|\n", *rows] if rows else []
    parts += [f"\n[Common options](#common-options): {', '.join(named)}.\n"] if named else []
    return "".join(parts)


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options by their rows in the table."""
    return {_row(param): param for param in command.params if isinstance(param, click.Option)}


def _argument(argument: click.Argument) -> str:
    if argument.metavar is not None:
        return argument.metavar
    name = argument.name or ""
    shown = "|".join(argument.type.choices) if isinstance(argument.type, click.Choice) else name.upper()
    shown += "..." if argument.nargs == -1 else ""
    return shown if argument.required else f"[{shown}]"


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = ""
    if isinstance(option.type, click.Choice):
        value = f" {' or '.join(f'`{choice}`' for choice in option.type.choices)}"
    elif not option.is_flag:
        value = f" {option.metavar or option.type.name.upper()}"
    default = f" (default: {option.default})" if option.show_default else ""
    return f"| {names}{value} | {cell(option.help or '')}{default} |\n"


def _help_text(text: str) -> str:
    """Paragraphs as they are; those after click's \\b, which keep their lines, as code."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            parts.append("```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```\n")
        else:
            parts.append(paragraph + "\n")
    return "\n".join(parts)
