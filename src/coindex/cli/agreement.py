"""`coindex agreement`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .options import output_option
from .scoring import as_options, bold_on, scoring_options, working


def named_versions(given: Sequence[str]) -> dict[str, str] | list[str]:
    """The files by name, where names are given; all or none of them have one."""
    pairs = [_pair(text) for text in given]
    for name, path in pairs:
        if path != "-" and not os.path.exists(path):
            hint = "" if name is None else f" (as {name})"
            raise click.UsageError(f"{path}{hint}: no such file or folder; give annotations as FILE or NAME=FILE")
    if all(name is None for name, _ in pairs):
        return [path for _, path in pairs]
    named: dict[str, str] = {}
    for name, path in pairs:
        if not name:
            raise click.UsageError(f"{path}: without a name; where some have one, give all as NAME=FILE")
        if name in named:
            raise click.UsageError(f"{name}: the name of two annotations; give each its own")
        named[name] = path
    return named


def _pair(text: str) -> tuple[str | None, str]:
    """A file that is there may have an equals sign in its name."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and not os.path.exists(text) else (None, text)


@click.command("agreement")
@click.argument("versions", metavar="[NAME=]FILE...", nargs=-1, required=True)
@click.option("--align", is_flag=True, help="Compare the words that all versions have, where they differ in a few.")
@click.option(
    "--distance",
    type=click.Choice(["passonneau", "masi"]),
    default="passonneau",
    help="How far two entities are apart, for alpha.",
)
@click.option("--matrix", metavar="NAME", help="The number in the matrix of annotators: conll if left out, b3, alpha …")
@click.option("--by-document", is_flag=True, help="Also the spread over documents, and each, the hardest first.")
@scoring_options
@click.option("--format", "form", type=click.Choice(tuple(FORMS)), default="text", help="How to print.")
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
    """Tell how far annotators agree: two or more annotations of the same text, as files or folders.

    The scores are those of `coindex score`, with mentions that are exactly the same and with singletons unless options
    say otherwise. Alpha is Krippendorff's, with Passonneau's distances between entities: once with mentions that only
    some marked as disagreements, once (α links) about mentions that both marked.

    \b
    coindex agreement ada.conll ben.conll
    coindex agreement Ada=ada/ Ben=ben/ Cleo=cleo/ --matrix alpha --format latex
    """
    from ..api.agreement import agreement

    named = named_versions(versions)
    with working(f"comparing {len(named)} annotators"):
        found = agreement(named, align=align, distance=distance, **as_options(options))
        report = found.report(matrix=matrix, by_document=by_document)
    output.write(report.render(form, bold=bold_on(output)))
