"""`coindex export`."""

from __future__ import annotations

import click

from .help import Command, option
from .scoring import show_spinner


@click.command("export", cls=Command)
@click.argument("model", type=click.Path(exists=True, file_okay=False))
@option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    section="Output",
    help="Folder to write (default: MODEL-onnx).",
)
@option(
    "--weights",
    type=click.Choice(["4", "8", "16", "32"]),
    default="8",
    section="Output",
    help="Bits per stored weight; 4 applies to the layers of the encoder, which then also compute faster in 8 bits.",
)
@option(
    "--table",
    type=click.Choice(["4", "8"]),
    default="8",
    section="Output",
    help="Bits per weight of the table of word pieces, with 4-bit or 8-bit weights.",
)
@option("--encoder", section="Input", help="Name or folder of the encoder, for a model that stores only adapters.")
@option(
    "--check",
    type=click.Path(exists=True),
    metavar="CORPUS",
    section="Input",
    help="Compare both models on this corpus instead of on built-in texts.",
)
def command(model: str, output: str | None, weights: str, table: str, encoder: str | None, check: str | None) -> None:
    """Export a trained model to ONNX.

    'coindex resolve' runs the exported model without torch. Both models are run on the same texts; if their entities
    differ, the export fails and nothing is written. With 4-bit or 8-bit weights, the comparison uses the trained
    model with the same rounding, and the effect of rounding is reported. Needs pip install 'coindex[train]'.

    \b
    Examples:
      coindex export runs/first/best -o mine --check dev.conllu
      coindex export runs/first/best --weights 16
      coindex export runs/first/best --weights 8 --table 4
      coindex resolve story.txt -r ./mine
    """
    from ..api.training import export
    from ..document.naming import count

    with show_spinner(f"exporting {model}"):
        folder, comparison = export(model, output, weights=int(weights), table=int(table), encoder=encoder, check=check)
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
    click.echo(
        f"{folder}: {size:.1f} MB; same {count(comparison.entities, 'entity', 'entities')} as {model} in "
        f"{count(comparison.documents, 'document')}"
        + (f", {comparison.rounded} of them due to rounded weights" if comparison.rounded else "")
    )
    if not comparison.entities:
        hint = "neither model predicts an entity, so the comparison proves little; choose other documents with --check"
        click.secho(f"warning: {hint}", fg="yellow", err=True)
