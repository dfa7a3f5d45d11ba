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
from .options import from_option, inputs_argument, json_option
from .progress import is_quiet

if TYPE_CHECKING:
    from ..formats.discovery import InputFile


@click.command("validate")
@inputs_argument
@from_option
@json_option
@click.option(
    "--warnings/--no-warnings",
    "with_warnings",
    default=True,
    help="Report what is odd, not only what is wrong.",
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
    """Report every problem of INPUTS, one a line: place, what was found, what was expected, what to do.

    Exit code 2 if there is any error; warnings alone give 0.
    """
    errors = warnings = files = 0
    for path in inputs:
        found = problems(path, from_format, dict(read_options))
        for problem in _with_columns(found) if as_json else found:
            if problem is None:
                files += 1
                continue
            if problem.severity == "error":
                errors += 1
            else:
                warnings += 1
                if not with_warnings:
                    continue
            _print(problem, as_json)
    if not as_json and (errors or not is_quiet()):
        verdict = f"{count(files, 'file')}: {count(errors, 'error')}, {count(warnings, 'warning')}"
        click.secho(verdict, fg="red" if errors else "green", err=True)
    ctx.exit(2 if errors else 0)


def _with_columns(found: Iterable[Problem | None]) -> Iterator[Problem | None]:
    """Yield the problems of each file with their columns, as far as they are known."""
    of_file: list[Problem] = []
    for problem in found:
        if problem is not None:
            of_file.append(problem)
        else:
            yield from fill_columns(of_file)
            yield None
            of_file = []


def _print(problem: Problem, as_json: bool) -> None:
    if as_json:
        names = ("path", "line", "column", "severity", "code", "found", "expected", "remedy")
        click.echo(json.dumps({name: getattr(problem, name) for name in names}, ensure_ascii=False))
    else:
        colour = "red" if problem.severity == "error" else "yellow"
        click.echo(f"{click.style(problem.severity, fg=colour)}: {problem}")


def problems(path: str, format: str | None, options: dict[str, str]) -> Iterator[Problem | None]:
    """The problems below a path; None after each file, also one that cannot be checked."""
    from ..corpora.files import input_files, skip_problem

    try:
        files = input_files([path], format)
    except CoindexError as error:  # an empty folder
        yield _as_problem(error, path, "name another path")
        yield None
        return
    for file in files:
        if file.status == "read":
            yield from _file_problems(file, options)
        elif file.error is not None:
            yield _as_problem(file.error, str(file.path))
        elif file.status == "skipped":
            yield skip_problem(file, severity="error")
        if file.status in ("read", "failed", "skipped"):
            yield None


def _file_problems(file: InputFile, options: dict[str, str]) -> Iterator[Problem]:
    from ..api import read_source, sources

    found: list[Problem] = []
    path = str(file.path)
    try:
        for source, chosen in sources(path, None if file.format is None else file.format.name, on_problem=found.append):
            for doc in read_source(source, chosen, options):
                yield from found
                found.clear()
                yield from document_problems(doc, source.name)
    except CoindexError as error:  # what stops the reading, such as XML that is not well-formed
        found.append(_as_problem(error, path))
    yield from found


def _as_problem(error: CoindexError, path: str, remedy: str = "check the file and the options") -> Problem:
    if isinstance(error, FormatError):
        return error.problem
    return Problem(path, None, error.message, "readable input", remedy, code=error.code)


def document_problems(doc: Document, path: str) -> Iterator[Problem]:
    """What is wrong with a document that could be read."""
    for finding in check(doc):
        yield finding.problem(path)
