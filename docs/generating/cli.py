"""The page of the command line."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import click

from coindex.cli.main import EPILOG, VERBS, cli

from .text import cell


def cli_page() -> str:
    """The usage of each verb, from the definitions that `--help` shows."""
    codes = EPILOG.removeprefix("Exit codes: ").rstrip(".").split("; ")
    parts = [
        "# Command line\n\n",
        "`coindex VERB --help` prints what stands here. `python -m coindex` is the same command. ",
        "Results go to standard output; warnings, errors and progress bars to standard error. ",
        "A bar appears on a terminal after a second of work, and never in a pipe.\n\n",
        "| verb | what it does |\n|---|---|\n",
        *(f"| [{verb}](#coindex-{verb}) | {what} |\n" for verb, what in VERBS.items()),
        "\n| exit code | meaning |\n|---|---|\n",
        *(f"| {code} | {meaning} |\n" for code, _, meaning in (text.partition(" ") for text in codes)),
        "\nColours are left out where `NO_COLOR` is set or the output is no terminal.\n",
    ]
    return "".join([*parts, *itertools.chain.from_iterable(map(_verb, VERBS))])


def _verb(verb: str) -> Iterator[str]:
    """The section of a verb, and below it one for each of the verbs that it has of its own."""
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    yield _command("##", f"coindex {verb}", command)
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield _command("###", f"coindex {verb} {name}", below)


def _command(level: str, name: str, command: click.Command) -> str:
    arguments = [_argument(param) for param in command.params if isinstance(param, click.Argument)]
    options = [param for param in command.params if isinstance(param, click.Option)]
    if isinstance(command, click.Group):
        arguments.append("|".join(command.commands))
    usage = " ".join([name, "[OPTIONS]", *arguments])
    parts = [f"\n{level} {name}\n\n```text\n{usage}\n```\n\n", _help_text(command.help or "")]
    parts += [
        "\n| option | what it does |\n|---|---|\n",
        *map(_option, options),
        "| `-h`, `--help` | Show the help. |\n",
    ]
    return "".join(parts)


def _argument(argument: click.Argument) -> str:
    if argument.metavar is not None:
        return argument.metavar
    name = argument.name or ""
    shown = "|".join(argument.type.choices) if isinstance(argument.type, click.Choice) else name.upper()
    shown += "..." if argument.nargs == -1 else ""
    return shown if argument.required else f"[{shown}]"


def _option(option: click.Option) -> str:
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
