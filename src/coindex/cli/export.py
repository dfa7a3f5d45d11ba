"""`coindex export`."""

from __future__ import annotations

import click

from .scoring import working


@click.command("export")
@click.argument("model", type=click.Path(exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(file_okay=False), help="The folder to write; else MODEL-onnx.")
@click.option(
    "--weights",
    type=click.Choice(["8", "16", "32"]),
    default="8",
    show_default=True,
    help="Bits of a stored weight; all computing is in 32.",
)
@click.option("--encoder", help="For a model that has only adapters: its encoder, a name or folder.")
@click.option(
    "--check",
    type=click.Path(exists=True),
    metavar="CORPUS",
    help="Compare both on these documents, and not on built-in texts.",
)
def command(model: str, output: str | None, weights: str, encoder: str | None, check: str | None) -> None:
    """Turn the trained MODEL into ONNX graphs, which `coindex resolve` runs without torch.

    Both are run on the same texts, and any difference in their entities is an error: then nothing is written. With 8
    bits the trained model is compared with its weights rounded alike, and what the rounding changes is told. Needs
    pip install 'coindex[train]'.

    \b
    coindex export runs/first/best -o mine --check dev.conllu
    coindex resolve story.txt -r ./mine
    """
    from ..api.training import export
    from ..document.naming import count

    with working(f"exporting {model}"):
        folder, found = export(model, output, weights=int(weights), encoder=encoder, check=check)
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
    click.echo(
        f"{folder}: {size:.1f} MB; the same {count(found.entities, 'entity', 'entities')} as {model} in "
        f"{count(found.documents, 'document')}"
        + (f", {found.rounded} of which are there because weights are rounded" if found.rounded else "")
    )
    if not found.entities:
        hint = "no entity in any of them, so the comparison says little; give documents with --check"
        click.secho(f"warning: {hint}", fg="yellow", err=True)
