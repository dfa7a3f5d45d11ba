"""`coindex validate`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ..document import Document
from ..document.naming import count
from ..document.validation import check
from ..errors import CoindexError, FormatError, Problem
from ..formats.source import fill_columns
from .help import Command, option
from .options import from_option, inputs_argument, json_option
from .progress import is_quiet

if TYPE_CHECKING:
    from ..formats.discovery import InputFile


@click.command("validate", cls=Command)
@inputs_argument
@from_option
@json_option
@option(
    "--warnings/--no-warnings",
    "with_warnings",
    default=True,
    section="Output",
    help="Also report warnings.",
)
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    from_format: str | None,
    read_options: tuple[tuple[str, str], ...],
    as_json: bool,
    with_warnings: bool,
) -> None:
    """Check files and report every problem.

    Each line names the place, what was found, what was expected and what to do. The exit code is 2 if there are errors
    and 0 if there are only warnings.

    \b
    Examples:
      coindex validate corpus.conllu
      coindex validate corpus/ --no-warnings
      coindex validate corpus/ --json > problems.jsonl
    """
    errors = warnings = files = 0
    for path in inputs:
        path_problems = find_problems(path, from_format, dict(read_options))
        for problem in _add_columns(path_problems) if as_json else path_problems:
            if problem is None:
                files += 1
                continue
            if problem.severity == "error":
                errors += 1
            else:
                warnings += 1
                if not with_warnings:
                    continue
            _print_problem(problem, as_json)
    if not as_json and (errors or not is_quiet()):
        verdict = f"{count(files, 'file')}: {count(errors, 'error')}, {count(warnings, 'warning')}"
        click.secho(verdict, fg="red" if errors else "green", err=True)
    ctx.exit(2 if errors else 0)


def _add_columns(problems: Iterable[Problem | None]) -> Iterator[Problem | None]:
    """Yield the problems of each file with their columns, where known."""
    file_problems: list[Problem] = []
    for problem in problems:
        if problem is not None:
            file_problems.append(problem)
        else:
            yield from fill_columns(file_problems)
            yield None
            file_problems = []


def _print_problem(problem: Problem, as_json: bool) -> None:
    if as_json:
        names = ("path", "line", "column", "severity", "code", "found", "expected", "remedy")
        click.echo(json.dumps({name: getattr(problem, name) for name in names}, ensure_ascii=False))
    else:
        colour = "red" if problem.severity == "error" else "yellow"
        click.echo(f"{click.style(problem.severity, fg=colour)}: {problem}")


def find_problems(path: str, format: str | None, options: dict[str, str]) -> Iterator[Problem | None]:
    """Yield the problems of the files below a path, and None after each file, including unreadable ones."""
    from ..corpora.files import input_files, skip_problem

    try:
        files = input_files([path], format)
    except CoindexError as error:  # an empty folder
        yield _make_problem(error, path, "name another path")
        yield None
        return
    for file in files:
        if file.status == "read":
            yield from _find_file_problems(file, options)
        elif file.error is not None:
            yield _make_problem(file.error, str(file.path))
        elif file.status == "skipped":
            yield skip_problem(file, severity="error")
        if file.status in ("read", "failed", "skipped"):
            yield None


def _find_file_problems(file: InputFile, options: dict[str, str]) -> Iterator[Problem]:
    from ..api import read_source, sources

    reported: list[Problem] = []
    path = str(file.path)
    try:
        for source, chosen in sources(
            path, None if file.format is None else file.format.name, on_problem=reported.append
        ):
            for doc in read_source(source, chosen, options):
                yield from reported
                reported.clear()
                yield from _find_document_problems(doc, source.name)
    except CoindexError as error:  # errors that stop the reader, such as malformed XML
        reported.append(_make_problem(error, path))
    yield from reported


def _make_problem(error: CoindexError, path: str, remedy: str = "check the file and the options") -> Problem:
    if isinstance(error, FormatError):
        return error.problem
    return Problem(path, None, error.message, "readable input", remedy, code=error.code)


def _find_document_problems(doc: Document, path: str) -> Iterator[Problem]:
    """Yield the problems of a document that could be read."""
    for finding in check(doc):
        yield finding.problem(path)
