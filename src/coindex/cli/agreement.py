"""`coindex agreement`."""

from __future__ import annotations

from typing import IO, Any

import click

from ..analysis.writers import FORMS
from .annotators import named_versions
from .options import output_option
from .scoring import as_options, bold_on, scoring_options, working


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
