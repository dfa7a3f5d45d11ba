"""`coindex agreement`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .help import Command, option
from .options import format_option, output_option
from .scoring import agreement_options, choose_bold, convert_options, show_spinner


def parse_versions(texts: Sequence[str]) -> dict[str, str] | list[str]:
    """Return annotations by name if names are given, otherwise as a list; either all of them have a name or none."""
    pairs = [_parse_version(text) for text in texts]
    for name, path in pairs:
        if path != "-" and not os.path.exists(path):
            hint = "" if name is None else f" (as {name})"
            raise click.UsageError(f"{path}{hint}: no such file or folder; expected FILE or NAME=FILE")
    if all(name is None for name, _ in pairs):
        return [path for _, path in pairs]
    named: dict[str, str] = {}
    for name, path in pairs:
        if not name:
            raise click.UsageError(f"{path}: no name; name all annotations (NAME=FILE) or none")
        if name in named:
            raise click.UsageError(f"{name}: two annotations have this name; choose different names")
        named[name] = path
    return named


def _parse_version(text: str) -> tuple[str | None, str]:
    """Split NAME=FILE; an existing file may have an equals sign in its name."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and not os.path.exists(text) else (None, text)


@click.command("agreement", cls=Command)
@click.argument("versions", metavar="[NAME=]FILE...", nargs=-1, required=True)
@option(
    "--align",
    is_flag=True,
    section="Input",
    help="Allow texts that differ in a few words; compare the words that all versions share.",
)
@option(
    "--distance",
    type=click.Choice(["passonneau", "masi"]),
    default="passonneau",
    section="Scoring",
    help="Distance between entities for alpha.",
)
@option(
    "--matrix",
    metavar="NAME",
    section="Output",
    help="Number shown for each pair of annotators: conll, b3, alpha, … (default: conll).",
)
@option(
    "--by-document",
    is_flag=True,
    section="Output",
    help="Also show the distribution over documents and each document, lowest agreement first.",
)
@agreement_options
@format_option(FORMS)
@output_option
def command(
    versions: tuple[str, ...],
    align: bool,
    distance: str,
    matrix: str | None,
    by_document: bool,
    form: str,
    output: IO[str],
    **options: Any,
) -> None:
    """Measure inter-annotator agreement.

    Compares two or more annotations of the same text, given as files or folders. Scores are those of 'coindex score',
    with exact matching and with singletons unless options change that. Alpha is Krippendorff's alpha with Passonneau's
    distance between entities. It is computed twice: over all mentions, where a mention that only some annotators marked
    counts as disagreement, and over the mentions that both marked (α links).

    \b
    Examples:
      coindex agreement ada.conll ben.conll
      coindex agreement Ada=ada/ Ben=ben/ Cleo=cleo/ --matrix alpha
      coindex agreement ada.conll ben.conll --by-document --format html
    """
    from ..api.agreement import agreement

    named = parse_versions(versions)
    with show_spinner(f"comparing {len(named)} annotators"):
        result = agreement(named, align=align, distance=distance, **convert_options(options))
        report = result.report(matrix=matrix, by_document=by_document)
    output.write(report.render(form, bold=choose_bold(output)))
