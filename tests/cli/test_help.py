"""Help texts: imperative summaries, examples that parse, a description of every option."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import prose
from coindex.cli.help import MOST_UNGROUPED, SECTIONS, Option, get_summary
from coindex.cli.main import COMMANDS, VERBS, cli
from command import run

IMPERATIVES = (
    *("Analyse", "Back", "Check", "Combine", "Compare", "Convert", "Count", "Create", "Draw", "Export", "Find", "Fix"),
    *(
        "List",
        "Measure",
        "Print",
        "Read",
        "Resolve",
        "Restore",
        "Run",
        "Score",
        "Serve",
        "Show",
        "Start",
        "Train",
        "Write",
    ),
)


def walk(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, click.Context]]:
    """Yield the context of each command and subcommand."""
    context = command.context_class(command, parent=parent, info_name=name, **command.context_settings)
    yield context.command_path, context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            subcommand = command.get_command(context, below)
            assert subcommand is not None
            yield from walk(subcommand, below, context)


CONTEXTS = dict(walk(cli, "coindex", None))
every_command = pytest.mark.parametrize("name", CONTEXTS)


def examples(context: click.Context) -> list[str]:
    """Return the commands under "Examples:", with continued lines joined."""
    text = (context.command.help or "").partition("Examples:\n")[2].partition("\n\n")[0]
    return [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]


def test_every_command_is_in_one_section() -> None:
    listed = [name for commands in COMMANDS.values() for name in commands]
    assert len(listed) == len(set(listed))
    folder = Path(cli.callback.__code__.co_filename).parent  # type: ignore[union-attr]
    defined = [
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "\n@click.command(" in path.read_text(encoding="utf-8")
    ]
    assert set(listed) == {*defined, "campaign", "experiment"} - {"main"}


def test_the_first_screen_shows_sections_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run("--help").out.decode()
    lines = text.splitlines()
    for title, commands in COMMANDS.items():
        start = lines.index(f"{title}:") + 1
        shown = lines[start : start + len(commands)]
        assert [line.split(maxsplit=1) for line in shown] == [list(pair) for pair in commands.items()]
    assert max(map(len, lines)) <= 80


@every_command
def test_the_summary_is_one_imperative_sentence(name: str) -> None:
    summary = get_summary(CONTEXTS[name].command)
    assert summary.split()[0].rstrip(",") in IMPERATIVES
    assert summary.endswith(".")
    assert len(summary) <= 80
    verb = name.removeprefix("coindex ")
    assert VERBS.get(verb, summary) == summary


@every_command
def test_examples_parse(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All options of the examples exist and have valid values, except that the files of the examples do not exist."""
    context = CONTEXTS[name]
    shown = examples(context)
    assert len(shown) >= 2
    assert any(line.partition("| ")[2].startswith(name) or line.startswith(name) for line in shown)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: value)
    for line in shown:
        words = shlex.split(line.rpartition(" | ")[2].partition(" > ")[0])
        assert words.pop(0) == "coindex", line
        with monkeypatch.context() as patch:
            patch.setattr(os.path, "exists", lambda path: True)
            parse(words)


def parse(words: list[str]) -> None:
    """Parse a command line without running it; a wrong one raises `click.UsageError`."""
    command: click.Command = cli
    name = "coindex"
    while isinstance(command, click.Group):
        name, *words = words
        found = command.get_command(click.Context(command), name)
        assert found is not None, name
        command = found
    command.make_context(name, [*words], parent=CONTEXTS["coindex"]).close()


def test_a_wrong_example_does_not_parse() -> None:
    with pytest.raises(click.NoSuchOption):
        parse(["score", "key.conllu", "response.conllu", "--no-such-option"])


@every_command
def test_every_option_has_help(name: str) -> None:
    context = CONTEXTS[name]
    options = [param for param in context.command.get_params(context) if isinstance(param, click.Option)]
    assert options
    for param in options:
        assert param.help, param.name
        assert re.search(r"[.)]$", param.help), param.help
        assert param.help[0].isupper() or param.help.partition(":")[0] in ("documents", "ecb-realistic"), param.help


@every_command
def test_many_options_are_grouped(name: str) -> None:
    context = CONTEXTS[name]
    own = [param for param in context.command.params if isinstance(param, Option) and param.section != "General"]
    text = context.command.get_help(context)
    headings = re.findall(r"^(\w+):$", text, flags=re.MULTILINE)
    grouped = [heading for heading in headings if heading in SECTIONS]
    assert ("Options" in headings) == (len(own) <= MOST_UNGROUPED)
    if len(own) > MOST_UNGROUPED:
        assert grouped == [section for section in SECTIONS if section in grouped]
        assert len(grouped) >= 3
        for param in own:
            assert all(flag in text for flag in param.opts)


@every_command
def test_help_has_no_dialect(name: str) -> None:
    rules, exceptions = prose.read_rules()
    text = CONTEXTS[name].command.get_help(CONTEXTS[name])
    source = f"src/coindex/cli/{name.rsplit(maxsplit=1)[-1]}.txt"
    assert list(prose.check_text(source, " ".join(text.split()), rules, exceptions)) == []


@every_command
def test_lines_fit_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*name.split()[1:], "--help").out.decode().splitlines()
    assert [line for line in lines if len(line) > 80] == []
